#!/bin/sh
# Turns SQL files into a C header.
#   embed.sh FILE…               one prepared statement a file: enum statement, and with STATEMENTS_TEXT names and texts
#   embed.sh --migrations FILE…  NNN_name.sql: version, name and text of each, in ascending order
# Any byte may stand in a file: what is not plain ASCII becomes an octal escape, and so does ? (trigraphs).
set -eu
export LC_ALL=C

fail() {
    echo "embed.sh: $*" >&2
    exit 1
}

# The bytes of a file as C string literals, a line each.
literals() {
    [ -r "$1" ] || fail "$1: cannot be read"
    od -An -v -tu1 "$1" | awk '
        BEGIN {
            for (code = 32; code < 127; code++)
                shown[code] = sprintf("%c", code)
            shown[9] = "\\t"; shown[10] = "\\n"; shown[34] = "\\\""; shown[92] = "\\\\"; shown[63] = "\\077"
            printf "\t    \""
        }
        {
            for (i = 1; i <= NF; i++) {
                printf "%s", $i in shown ? shown[$i] : sprintf("\\%03o", $i)
                if ($i == 10)
                    printf "\"\n\t    \""
            }
        }
        END { printf "\"" }'
}

# The words of a folder's files, sorted by name whatever the caller's locale.
sorted() {
    [ $# = 0 ] || printf '%s\n' "$@" | sort
}

name_of() {
    name=${1##*/}
    name=${name%.sql}
    case $name in
        '' | *[!a-z0-9_]*) fail "$1: a name is made of a-z, 0-9 and _" ;;
    esac
}

statements() {
    echo '#ifndef COUNTERSIGN_STATEMENTS_H'
    echo '#define COUNTERSIGN_STATEMENTS_H'
    echo 'enum statement {'
    for file; do
        name_of "$file"
        printf '\tSTATEMENT_%s,\n' "$(echo "$name" | tr '[:lower:]' '[:upper:]')"
    done
    printf '\tSTATEMENTS\n};\n'
    echo '#ifdef STATEMENTS_TEXT'
    echo '#include <stddef.h>'
    echo 'static const char *const statement_names[STATEMENTS + 1] = {'
    for file; do
        name_of "$file"
        printf '\t"%s",\n' "$name"
    done
    printf '\tNULL\n};\nstatic const char *const statement_texts[STATEMENTS + 1] = {\n'
    for file; do
        literals "$file"
        echo ,
    done
    printf '\tNULL\n};\n#endif\n#endif\n'
}

version_of() {
    version=${1%%_*}
    case $version in
        '' | *[!0-9]* | "$1") fail "$1.sql: a migration is named NNN_what.sql" ;;
    esac
    while [ "${version#0}" != "$version" ]; do version=${version#0}; done
}

migrations() {
    echo '#include <stddef.h>'
    last=0
    for file; do
        name_of "$file"
        version_of "$name"
        [ "${version:-0}" -gt "$last" ] || fail "$file: its version is not above $last"
        last=$version
        printf 'static const char migration_text_%d[] =\n' "$version"
        literals "$file"
        echo ';'
    done
    echo 'static const struct migration {'
    printf '\tint version; /* 0 ends the list */\n\tconst char *name, *text;\n\tsize_t length;\n} migrations[] = {\n'
    for file; do
        name_of "$file"
        version_of "$name"
        printf '\t{%d, "%s", migration_text_%d, sizeof migration_text_%d - 1},\n' "$version" "$name" "$version" "$version"
    done
    printf '\t{0, NULL, NULL, 0}\n};\n'
}

echo '/* Made by sql/embed.sh. */'
mode=statements
if [ "${1-}" = --migrations ]; then
    mode=migrations
    shift
fi
# shellcheck disable=SC2046 # file names without white space, one word each
$mode $(sorted "$@")
