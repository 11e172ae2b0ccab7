import { Argument, type Command } from 'commander'
import { print } from './terminal.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** Adds the command that prints a script for a shell, made from the commands themselves. */
export function addCompletionCommand(program: Command, addOthers: () => Promise<void>): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      `
bash: eval "$(banyan completion bash)" in ~/.bashrc
zsh:  eval "$(banyan completion zsh)" in ~/.zshrc, after compinit
fish: banyan completion fish > ~/.config/fish/completions/banyan.fish`,
    )
    .action(async (shell: Shell) => {
      await addOthers()
      print(SCRIPTS[shell](listWords(program)))
    })
}

/** What may follow a command, which is named by its words: `''`, `audit`, `audit verify`. */
type Following = { after: string; words: string[] }

function listWords(command: Command, path: string[] = []): Following[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command).filter((one) => one.name() !== 'help')
  const options = help.visibleOptions(command).map(({ long, short }) => long ?? short ?? '')
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const words = [...commands.map((one) => one.name()), ...choices, ...options]
  return [{ after: path.join(' '), words }, ...commands.flatMap((one) => listWords(one, [...path, one.name()]))]
}

const SCRIPTS: Record<Shell, (following: Following[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** The words that name a command are those before the cursor that are no options. */
function bashScript(following: Following[]): string {
  return `_banyan() {
  local word path="" words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
${casesText(following)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _banyan banyan`
}

function zshScript(following: Following[]): string {
  return `_banyan() {
  local word found=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] || found="\${found:+$found }$word"
  done
  local following=""
  case "$found" in
${casesText(following).replaceAll(') words=', ') following=')}
  esac
  compadd -- \${=following} || _files
}
compdef _banyan banyan`
}

const casesText = (following: Following[]): string =>
  following.map(({ after, words }) => `    '${after}') words='${words.join(' ')}' ;;`).join('\n')

function fishScript(following: Following[]): string {
  const lines = following.flatMap(({ after, words }) => {
    const commands = words.filter((word) => !word.startsWith('-'))
    const options = words.filter((word) => word.startsWith('--'))
    const condition = `-n '__banyan_is "${after}"'`
    return [
      ...(commands.length > 0 ? [`complete -c banyan ${condition} -f -a '${commands.join(' ')}'`] : []),
      ...options.map((option) => `complete -c banyan ${condition} -l ${option.slice(2)}`),
    ]
  })
  return `function __banyan_is
  set -l path
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or set -a path $word
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}`
}
