# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""What the studies fem_layer and fem_sinusoid hold Isobar against: meshes, CalculiX decks, a small
finite-strain finite-element program, and the exact solution of a bonded elastic layer."""
