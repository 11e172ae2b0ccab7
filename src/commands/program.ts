import { Command, CommanderError } from 'commander'
import { EXIT_FAILURE, EXIT_USAGE, report } from './terminal.ts'
import { BUILD } from '../kernel/program-version.ts'
import { safeMessage } from '../kernel/safe-message.ts'
import { StartError, UsageError } from '../kernel/start-error.ts'

const OTHER_PORTS =
  'Choose others with PORT, METRICS_PORT and SANDBOX_PORT; a second installation also needs its own DATA_DIR.'

/** `addOthers` adds the commands that were not called, for the one that lists all. */
type Add = (program: Command, addOthers: () => Promise<void>) => void

/**
 * Adds commands, by name, in the order of the help text. Only the called one is loaded, and it loads the domains only when it
 * runs: most of the start is loading.
 */
export const COMMANDS: [names: string[], load: () => Promise<Add>][] = [
  [
    ['start', 'serve', 'process', 'work', 'migrate', 'sandbox'],
    async () => (await import('./serve.ts')).addServeCommands,
  ],
  [['distribute'], async () => (await import('./distribute.ts')).addDistributeCommand],
  [['token'], async () => (await import('./token.ts')).addTokenCommand],
  [['ledger'], async () => (await import('./ledger.ts')).addLedgerCommand],
  [['events'], async () => (await import('./events.ts')).addEventsCommand],
  [['import'], async () => (await import('./import.ts')).addImportCommand],
  [['audit'], async () => (await import('./audit.ts')).addAuditCommand],
  [['erasures'], async () => (await import('./erasures.ts')).addErasuresCommand],
  [['formats'], async () => (await import('./formats.ts')).addFormatsCommand],
  [['documents'], async () => (await import('./documents.ts')).addDocumentsCommand],
  [['keys'], async () => (await import('./keys.ts')).addKeysCommand],
  [['backup', 'restore'], async () => (await import('./backup.ts')).addBackupCommands],
  [['doctor'], async () => (await import('./doctor.ts')).addDoctorCommand],
  [['config'], async () => (await import('./config.ts')).addConfigCommand],
  [['demo'], async () => (await import('./demo.ts')).addDemoCommand],
  [['completion'], async () => (await import('./completion.ts')).addCompletionCommand],
]

/** Runs the command in these arguments, and sets the exit code. */
export async function runProgram(args: string[]): Promise<void> {
  const program = new Command('banyan')
    .description(
      'Backend of a benefits platform. Settings come from the environment and from the file that BANYAN_CONFIG names; `config` prints them.',
    )
    .version(BUILD)
    .exitOverride()
  const called = COMMANDS.filter(([names]) => names.includes(args[0] ?? ''))
  const loaded = called.length > 0 ? called : COMMANDS
  const addAll = async (commands: typeof COMMANDS) => {
    for (const [, load] of commands)
      (await load())(program, () => addAll(COMMANDS.filter((one) => !loaded.includes(one))))
  }
  await addAll(loaded)

  // A reader such as `head` closes the pipe early, which is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

  await program.parseAsync(args, { from: 'user' }).catch(fail)
}

/** Prints a sentence for an expected error, a stack for any other. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE
    return
  }
  if (error instanceof SuppressedError) return fail(error.suppressed) // closing failed, too
  const isUsage = error instanceof UsageError
  const isExpected = isUsage || error instanceof StartError || (error as NodeJS.ErrnoException).code !== undefined
  const message = safeMessage(error as Error)
  const sentence =
    (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? `${message}: another program uses that port. ${OTHER_PORTS}`
      : message
  report(isExpected ? sentence : ((error as Error).stack ?? sentence))
  process.exitCode = isUsage ? EXIT_USAGE : EXIT_FAILURE
}
