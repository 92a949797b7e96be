// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What shells complete, from the same tables as parser and help.

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

/// Between single quotes: as shells that end a quote for one, or as fish, which escapes it.
static void print_quoted(const char* text, bool is_fish) {
    putchar('\'');
    for (const char* c = text; *c != '\0'; ++c) {
        if (*c == '\'') {
            fputs(is_fish ? "\\'" : "'\\''", stdout);
        } else if (*c == '\\' && is_fish) {
            fputs("\\\\", stdout);
        } else {
            putchar(*c);
        }
    }
    putchar('\'');
}

/// One of the options of a command, of an experiment where there is one.
typedef void (*option_printer)(const cli_option* option, const cli_command* command,
                               const char* experiment);

static void each_option(const cli_command* command, const char* experiment, option_printer print) {
    for (int i = 0; i < k_cli_option_count; ++i) {
        const cli_option* o = &k_cli_options[i];
        if (cli_find_option(command, experiment, o->name) == o) {
            print(o, command, experiment);
        }
    }
}

// Patterns of "COMMAND FIRST_WORD" for the options of a command: its experiments before the rest.
static void each_case(void (*print)(const char* words, const cli_command* command,
                                    const char* experiment)) {
    for (int i = 0; i < k_cli_command_count; ++i) {
        const cli_command* command = &k_cli_commands[i];
        char words[64];
        for (int e = 0; command->inputs == CLI_EXPERIMENT && e < k_cli_experiment_count; ++e) {
            (void)snprintf(words, sizeof words, "'lab %s'", k_cli_experiments[e].name);
            print(words, command, k_cli_experiments[e].name);
        }
        (void)snprintf(words, sizeof words, "'%s '*", command->name);
        print(words, command, NULL);
    }
}

// --- bash ----------------------------------------------------------------------------------------

static void print_name(const cli_option* option, const cli_command* command,
                       const char* experiment) {
    (void)command;
    (void)experiment;
    printf(" %s", option->name);
}

static void print_bash_case(const char* words, const cli_command* command, const char* experiment) {
    printf("    %s) options='--help", words);
    each_option(command, experiment, print_name);
    fputs("' ;;\n", stdout);
}

static void print_bash(void) {
    fputs("# isobar completion bash > ~/.local/share/bash-completion/completions/isobar\n"
          "_isobar() {\n"
          "  local word=${COMP_WORDS[COMP_CWORD]} options='' first=''\n"
          "  COMPREPLY=()\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "    first='--help --version",
          stdout);
    for (int i = 0; i < k_cli_command_count; ++i) {
        printf(" %s", k_cli_commands[i].name);
    }
    fputs("'\n  elif [ \"$COMP_CWORD\" -eq 2 ]; then\n    case ${COMP_WORDS[1]} in\n"
          "    completion) first='bash zsh fish' ;;\n    lab) first='",
          stdout);
    for (int i = 0; i < k_cli_experiment_count; ++i) {
        printf("%s%s", i > 0 ? " " : "", k_cli_experiments[i].name);
    }
    fputs("' ;;\n    esac\n  fi\n  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n", stdout);
    each_case(print_bash_case);
    fputs("  esac\n"
          "  if [ -n \"$first\" ]; then\n"
          "    COMPREPLY=($(compgen -W \"$first\" -- \"$word\"))\n"
          "  elif [ \"${word:0:1}\" = - ]; then\n"
          "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "  fi\n"
          "}\n"
          "complete -o default -o bashdefault -F _isobar isobar\n",
          stdout);
}

// --- zsh -----------------------------------------------------------------------------------------

static void print_zsh_word(const char* name, const char* text) {
    char word[512];
    (void)snprintf(word, sizeof word, "%s:%s", name, text);
    putchar(' ');
    print_quoted(word, false);
}

static void print_zsh_option(const cli_option* option, const cli_command* command,
                             const char* experiment) {
    (void)command;
    (void)experiment;
    print_zsh_word(option->name, option->text);
}

static void print_zsh_case(const char* words, const cli_command* command, const char* experiment) {
    printf("    %s) list=(", words);
    each_option(command, experiment, print_zsh_option);
    fputs(" '--help:explain the command') ;;\n", stdout);
}

static void print_zsh(void) {
    fputs("#compdef isobar\n# isobar completion zsh > a folder of $fpath, as _isobar\n"
          "_isobar() {\n  local -a list\n  if (( CURRENT == 2 )); then\n    list=(",
          stdout);
    for (int i = 0; i < k_cli_command_count; ++i) {
        print_zsh_word(k_cli_commands[i].name, k_cli_commands[i].summary);
    }
    fputs(")\n    _describe command list\n    return\n  fi\n"
          "  if (( CURRENT == 3 )) && [[ $words[2] == lab ]]; then\n    list=(",
          stdout);
    for (int i = 0; i < k_cli_experiment_count; ++i) {
        print_zsh_word(k_cli_experiments[i].name, k_cli_experiments[i].summary);
    }
    fputs(")\n    _describe experiment list\n    return\n  fi\n"
          "  if (( CURRENT == 3 )) && [[ $words[2] == completion ]]; then\n"
          "    list=(bash zsh fish)\n    _describe shell list\n    return\n  fi\n"
          "  case \"$words[2] $words[3]\" in\n",
          stdout);
    each_case(print_zsh_case);
    fputs("  esac\n"
          "  if [[ $words[CURRENT] == -* ]]; then\n    _describe -o option list\n"
          "  else\n    _files\n  fi\n}\n"
          "if [ \"$funcstack[1]\" = _isobar ]; then\n  _isobar \"$@\"\n"
          "else\n  compdef _isobar isobar\nfi\n",
          stdout);
}

// --- fish ----------------------------------------------------------------------------------------

static void print_fish_option(const cli_option* option, const cli_command* command,
                              const char* experiment) {
    bool is_long = strncmp(option->name, "--", 2) == 0;
    const char* before = experiment != NULL ? "'__fish_seen_subcommand_from lab; and "
                                              "__fish_seen_subcommand_from "
                                            : "'__fish_seen_subcommand_from ";
    printf("complete -c isobar -n %s%s' -%c %s%s -d ", before,
           experiment != NULL ? experiment : command->name, is_long ? 'l' : 's',
           option->name + (is_long ? 2 : 1), option->value != NULL ? " -r" : "");
    print_quoted(option->text, true);
    putchar('\n');
}

static void print_fish(void) {
    puts("# isobar completion fish > ~/.config/fish/completions/isobar.fish\n"
         "complete -c isobar -l help -d 'explain a command'\n"
         "complete -c isobar -n __fish_use_subcommand -l version -d 'print the version'\n"
         "complete -c isobar -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
    for (int i = 0; i < k_cli_command_count; ++i) {
        const cli_command* command = &k_cli_commands[i];
        printf("complete -c isobar -n __fish_use_subcommand -f -a %s -d ", command->name);
        print_quoted(command->summary, true);
        putchar('\n');
        for (int e = 0; command->inputs == CLI_EXPERIMENT && e < k_cli_experiment_count; ++e) {
            printf("complete -c isobar -n '__fish_seen_subcommand_from lab' -f -a %s -d ",
                   k_cli_experiments[e].name);
            print_quoted(k_cli_experiments[e].summary, true);
            putchar('\n');
            each_option(command, k_cli_experiments[e].name, print_fish_option);
        }
        if (command->inputs != CLI_EXPERIMENT) {
            each_option(command, NULL, print_fish_option);
        }
    }
}

cli_exit cli_completion(const cli_options* options) {
    static const struct {
        const char* name;
        void (*print)(void);
    } k_shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof k_shells / sizeof k_shells[0]; ++i) {
        if (strcmp(options->input, k_shells[i].name) == 0) {
            k_shells[i].print();
            return CLI_DONE;
        }
    }
    cli_error("there is no completion for '%s', expected bash, zsh or fish\n", options->input);
    return CLI_USAGE;
}
