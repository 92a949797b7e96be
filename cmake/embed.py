# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""Write a file as a C array: embed.py SYMBOL OUT_DIR [FILE].

Makes OUT_DIR/SYMBOL.h and OUT_DIR/SYMBOL.c with `const unsigned char SYMBOL[]` and
`const size_t SYMBOL_size`. Without FILE the array is empty (size 0).
"""

import pathlib
import sys


def main(argv):
    symbol, out_dir = argv[1], pathlib.Path(argv[2])
    data = pathlib.Path(argv[3]).read_bytes() if len(argv) > 3 else b""
    out_dir.mkdir(parents=True, exist_ok=True)
    (out_dir / f"{symbol}.h").write_text(
        "#pragma once\n\n#include <stddef.h>\n\n"
        f"extern const unsigned char {symbol}[];\n"
        f"extern const size_t {symbol}_size;\n"
    )
    rows = (
        ",".join(map(str, data[start : start + 64])) for start in range(0, len(data), 64)
    )
    body = ",\n".join(rows)
    separator = ",\n" if data else ""
    (out_dir / f"{symbol}.c").write_text(
        f'#include "{symbol}.h"\n\n'
        f"const unsigned char {symbol}[] = {{\n{body}{separator}0}};\n"
        f"const size_t {symbol}_size = {len(data)};\n"
    )


if __name__ == "__main__":
    main(sys.argv)
