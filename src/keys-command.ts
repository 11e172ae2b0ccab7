import { type Command, InvalidArgumentError, Option } from 'commander'
import { replaceSigningKeys } from './access/keys.ts'
import { type MasterKeyStatus, masterKeyStatus, rotateMasterKeys } from './access/master-key-rotation.ts'
import { nextSigningKeys } from './access/signing-key-rotation.ts'
import { loadSigningKeyText, loadVaultConfig } from './config.ts'
import { systemClock } from './kernel/clock.ts'
import { openVault } from './kernel/crypto/vault.ts'
import { withDatabase } from './run.ts'

const EXIT_FAILURE = 1
const LEAD_MINUTES = 60

/** Adds `keys` with what looks after the keys; each works beside running servers. */
export function addKeysCommand(program: Command, print: (text: string) => void): void {
  const keys = program.command('keys').description('the keys that the program works with')
  const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`)

  keys
    .command('status')
    .description(
      'list the master keys, their fingerprints and how many data keys each wraps; exit code 1 when a needed one is missing',
    )
    .action(async () => {
      const config = loadVaultConfig()
      const status = await withDatabase(config, (db) => masterKeyStatus({ db, keys: config.keys }))
      for (const key of status) print(lineOf(key))
      if (status.some((key) => !key.configured && key.dataKeys > 0)) process.exitCode = EXIT_FAILURE
    })

  keys
    .command('rotate')
    .description(
      'wrap all data keys by the first master key and say which others can go; exit code 1 when some are left',
    )
    .addHelpText(
      'after',
      '\nWorks beside running servers. Stopped in the middle it goes on from there at the next call.',
    )
    .action(async () => {
      const config = loadVaultConfig()
      const vault = openVault(config.keys)
      const onProgress = (done: number) => tell(`${done} data keys wrapped anew so far`)
      const status = await withDatabase(config, (db) => rotateMasterKeys({ db, keys: config.keys, vault }, onProgress))
      for (const key of status) print(lineOf(key))
      if (status.some((key) => !key.first && key.dataKeys > 0)) process.exitCode = EXIT_FAILURE
    })

  keys
    .command('rotate-signing')
    .description(
      'add a signing key that is published at once and later signs by itself; exit code 1 while another one waits, 2 for a wrong option',
    )
    .addOption(
      new Option('--lead <minutes>', 'when it begins to sign; by then every server must have started with it')
        .default(LEAD_MINUTES)
        .argParser(minutesFrom),
    )
    .addHelpText(
      'after',
      '\nWhere SIGNING_KEYS is set, prints its next value and nothing else; otherwise renews the file in the data folder.',
    )
    .action(({ lead }: { lead: number }) => {
      const { text, dataDir } = loadSigningKeyText()
      const next = nextSigningKeys({ text, clock: systemClock, lead_s: lead * 60 })
      if (dataDir === null) print(next.text)
      else replaceSigningKeys(dataDir, next.text)
      tell(`${next.kid} signs from ${next.signsFrom.toISOString()} on; start every server with it before then.`)
    })
}

const lineOf = (key: MasterKeyStatus) =>
  `MASTER_KEYS ${key.id}  ${key.fingerprint}  ${key.dataKeys} data keys, ${wordsOf(key)}`

function wordsOf({ first, seals, retired, configured, dataKeys }: MasterKeyStatus): string {
  if (dataKeys > 0 && !configured) return 'missing: put it behind the first'
  if (first) return 'wraps new ones'
  if (dataKeys > 0) return 'must stay; `keys rotate` frees it'
  if (retired) return configured ? 'retired: take it out' : 'retired'
  return seals ? '`keys rotate` retires it' : 'not used yet'
}

function minutesFrom(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of minutes.')
  return Number(text)
}
