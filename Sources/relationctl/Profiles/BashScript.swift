/// The script that completes words in bash: the one that the parser writes, behind a function that
/// first arranges the words of the line as the program itself takes them.
///
/// The parser's script knows the options of a command only after its name, and takes the words as
/// readline splits them, around each equals sign and each colon.
struct BashScript {
    let text: String

    /// - Parameter script: The parser's script; another text stays as it is.
    init(_ script: String) {
        let begin = "\n_relationctl() {\n"
        guard script.hasPrefix("#!/bin/bash"), script.contains(begin) else {
            text = script
            return
        }
        let functions = Self.functions(script)
        text = script.replacing(begin, with: "\n__relationctl_offer() {\n")
            .replacing(
                ##"*([[:space:]])"${word}"*([[:space:]])"##,
                with: ##"*([[:space:]=])"${word}"*([[:space:]=])"##
            )
            .replacing("\ncomplete -o filenames", with: "\n\(functions)complete -o filenames")
    }

    /// The options of all commands that take a value.
    private static func options(_ script: String) -> [String] {
        let lists = script.split(separator: "\n").filter { $0.contains("repeating_options=(-") }
        let words = lists.flatMap { line in
            line.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }.split(separator: " ")
        }
        return Set(words.map(String.init)).sorted()
    }

    private static func functions(_ script: String) -> String {
        arranging.replacing("OPTIONS", with: options(script).joined(separator: "|"))
    }

    private static let arranging = #"""
        # Makes one word of the parts around a colon, and two of an option and its value.
        #
        # modified variables: joined, cursor (the index of the current word)
        __relationctl_join() {
            local -i index
            local word is_open=false
            joined=()
            for index in "${!COMP_WORDS[@]}"; do
                word="${COMP_WORDS[index]}"
                if [[ "${word}" = '=' && "${joined[-1]}" = --* ]]; then
                    # The value is the next word, which is still empty at the end of the line.
                    [[ "${index}" -eq "${COMP_CWORD}" ]] && joined+=('')
                elif [[ "${#joined[@]}" -gt 1 && "${word}" =~ ^[:=]+$ ]]; then
                    joined[-1]+="${word}"
                    is_open=true
                elif "${is_open}"; then
                    joined[-1]+="${word}"
                    is_open=false
                else
                    joined+=("${word}")
                fi
                [[ "${index}" -eq "${COMP_CWORD}" ]] && cursor="${#joined[@]}-1"
            done
        }

        # Whether the option is followed by its value.
        __relationctl_takes_value() {
            case "${1}" in
            OPTIONS) return 0 ;;
            esac
            return 1
        }

        # Whether other commands come after the one of this function.
        __relationctl_is_group() {
            [[ -n "$(compgen -A function "${1}_")" ]]
        }

        _relationctl() {
            local -a joined path=() options=() rest=()
            local -i cursor=0 index
            local function=_relationctl is_help=false is_value=false word
            __relationctl_join
            # Options and their values are kept aside.
            for ((index = 1; index < cursor; index++)); do
                word="${joined[index]}"
                if [[ "${word}" = -- ]]; then
                    break
                elif [[ "${word}" = -* ]]; then
                    options+=("${word}")
                    # The value may be the word that is typed.
                    if __relationctl_takes_value "${word}"; then
                        if ((index + 1 < cursor)); then
                            options+=("${joined[++index]}")
                        else
                            is_value=true
                        fi
                    fi
                elif [[ "${word}" = help ]] && __relationctl_is_group "${function}"; then
                    is_help=true
                elif declare -F "${function}_${word}" > /dev/null; then
                    function+="_${word}"
                    path+=("${word}")
                else
                    # A word that is no command stands for the usual command.
                    if [[ "${function}" = _relationctl_explain ]]; then
                        function+=_code
                        path+=(code)
                    fi
                    break
                fi
            done
            rest=("${joined[@]:index:cursor-index}")
            if "${is_help}"; then
                __relationctl_is_group "${function}" || return 0
                options=()
            elif __relationctl_is_group "${function}"; then
                if "${is_value}"; then
                    # Each command that has these takes the same values.
                    case "${joined[cursor-1]}" in
                    --app|--profile|-o|--output) path=(call) ;;
                    *) return 0 ;;
                    esac
                else
                    options=()
                fi
            fi

            local -r current="${joined[cursor]}"
            local -a COMP_WORDS=(
                "${COMP_WORDS[0]}" "${path[@]}" "${options[@]}" "${rest[@]}" "${joined[@]:cursor}"
            )
            local -i COMP_CWORD="1 + ${#path[@]} + ${#options[@]} + ${#rest[@]}"
            __relationctl_offer "${1}" "${current}" "${COMP_WORDS[COMP_CWORD-1]}"

            local -a found=()
            if "${is_help}"; then
                for word in "${COMPREPLY[@]}"; do
                    [[ "${word}" = -* ]] || found+=("${word}")
                done
                COMPREPLY=("${found[@]}")
            elif [[ "${#COMPREPLY[@]}" -eq 0 && "${path[0]}" =~ ^(call|describe)$ ]] &&
                [[ -n "${current}" && "${current}" != -* ]] && ! "${is_value}"; then
                # Names of calls are taken in any case, and with signs between their words.
                local wanted="${current//[-_]/}"
                COMP_WORDS[COMP_CWORD]=''
                __relationctl_offer "${1}" '' "${COMP_WORDS[COMP_CWORD-1]}"
                for word in "${COMPREPLY[@]}"; do
                    [[ "${word,,}" = "${wanted,,}"* ]] && found+=("${word}")
                done
                COMPREPLY=("${found[@]}")
            fi
        }


        """#
}
