import { type Command, InvalidArgumentError, Option } from 'commander'
import { replaceSigningKeys } from '../settings/keys.ts'
import type { KeyStatus } from '../access/key-fingerprints.ts'
import { loadMasterKeySource, loadSigningKeyText, loadVaultConfig } from '../settings/config.ts'
import { systemClock } from '../kernel/clock.ts'
import type { HashKeyStatus } from '../domains/people/users/index.ts'
import { withDatabase } from './with-database.ts'
import { createProgress, EXIT_FAILURE, type JsonOption, print, printJson, report, withJson } from './terminal.ts'

const LEAD_MINUTES = 60
const ENDING_DAYS = 365

export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('show and rotate keys')

  withJson(
    keys
      .command('status')
      .description(
        'list master keys and hash keys, and the rows that need each; exit code 1 when a needed key is missing',
      ),
  ).action(async ({ json }: JsonOption) => {
    const { hashKeyStatus, loadVaultKeys, masterKeyStatus } = await loadParts()
    const config = loadVaultConfig()
    const [masters, hashes] = await withDatabase(config, async (db) => {
      const context = { db, keys: await loadVaultKeys(config) }
      return [await masterKeyStatus(context), await hashKeyStatus(context)] as const
    })
    printKeys({ masters, hashes }, json)
    if ([...masters, ...hashes].some(({ configured, total }) => !configured && total > 0))
      process.exitCode = EXIT_FAILURE
  })

  withJson(
    keys
      .command('rotate')
      .description(
        'move all data to the first master key and the first hash key, and list what can be removed; exit code 1 if not all',
      )
      .addHelpText('after', '\nSafe alongside running servers. If interrupted, it continues at the next run.'),
  ).action(async ({ json }: JsonOption) => {
    const { createVault, loadVaultKeys, rehashAll, rotateHashKey, rotateMasterKeys } = await loadParts()
    const config = loadVaultConfig()
    const vaultKeys = await loadVaultKeys(config)
    const onWrapped = createProgress('data keys')
    const onHashed = createProgress('hashes')
    const [masters, hashes] = await withDatabase(config, async (db) => {
      const context = { db, keys: vaultKeys, vault: createVault(vaultKeys) }
      const rehash = () => rehashAll(context, onHashed)
      return [await rotateMasterKeys(context, onWrapped), await rotateHashKey(context, rehash)] as const
    })
    printKeys({ masters, hashes }, json)
    if ([...masters, ...hashes].some(({ first, total }) => !first && total > 0)) process.exitCode = EXIT_FAILURE
  })

  withJson(
    keys
      .command('end-hash-key')
      .description(
        'delete the id proofs that only an older hash key finds, and retire it; exit code 1 while anything else needs it',
      )
      .argument('<id>', 'id of the key, as `keys status` lists it')
      .addOption(
        new Option('--after <days>', 'days that the first key must have been first')
          .default(ENDING_DAYS)
          .argParser(wholeNumber('days')),
      )
      .addHelpText(
        'after',
        '\nThe people are found by phone from then on; an id proof that they present is stored again. Safe alongside running servers.',
      ),
  ).action(async (id: string, { after: days, json }: JsonOption & { after: number }) => {
    const { endHashKey, loadVaultKeys } = await loadParts()
    const config = loadVaultConfig()
    const vaultKeys = await loadVaultKeys(config)
    const onProgress = createProgress('id proofs')
    const hashes = await withDatabase(config, (db) => endHashKey({ db, keys: vaultKeys }, { id, days, onProgress }))
    printKeys({ masters: [], hashes }, json)
  })

  addNewKeyCommands(keys)
}

/** Loads what the commands about stored keys need, when one runs. */
async function loadParts() {
  const parts = await Promise.all([
    import('../access/data-keys.ts'),
    import('../boot/keys.ts'),
    import('../boot/rehash.ts'),
    import('../domains/people/users/index.ts'),
    import('../kernel/crypto/vault.ts'),
  ])
  const [{ masterKeyStatus, rotateMasterKeys }, { loadVaultKeys }, { rehashAll }, users, { createVault }] = parts
  return { ...users, createVault, loadVaultKeys, masterKeyStatus, rehashAll, rotateMasterKeys }
}

function addNewKeyCommands(keys: Command): void {
  withJson(
    keys
      .command('new-master')
      .description(
        'print a new master key for MASTER_KEYS; with a KMS, encrypted by it. Exit code 1 when the KMS rejects it',
      )
      .argument('<id>', 'id of the new key, other than those of the present ones', masterKeyId),
  ).action(async (id: string, { json }: JsonOption) => {
    const { createMasterKeySource } = await import('../kernel/crypto/master-key-source.ts')
    const source = await createMasterKeySource(loadMasterKeySource())
    const text = `${id}:${(await source.make(id)).toString('base64')}`
    if (json) printJson({ id, master_key: text })
    else print(text)
  })

  withJson(
    keys
      .command('rotate-signing')
      .description(
        'add a signing key, published now and signing later; exit code 1 while another one is pending, 2 for a wrong option',
      )
      .addOption(
        new Option('--lead <minutes>', 'minutes until it signs; every server must have started with it by then')
          .default(LEAD_MINUTES)
          .argParser(wholeNumber('minutes')),
      )
      .addHelpText(
        'after',
        '\nIf SIGNING_KEYS is set, prints only its next value; otherwise updates the file in the data folder.',
      ),
  ).action(async ({ lead, json }: JsonOption & { lead: number }) => {
    const { nextSigningKeys } = await import('../access/signing-key-rotation.ts')
    const { text, dataDir } = loadSigningKeyText()
    const next = nextSigningKeys({ text, clock: systemClock, lead_s: lead * 60 })
    if (dataDir !== null) replaceSigningKeys(dataDir, next.text)
    const printed = dataDir === null ? next.text : null
    if (json) return printJson({ kid: next.kid, signs_from: next.signsFrom.toISOString(), signing_keys: printed })
    if (printed !== null) print(printed)
    report(`${next.kid} signs from ${next.signsFrom.toISOString()}; restart every server with it before then.`)
  })
}

function printKeys({ masters, hashes }: { masters: KeyStatus[]; hashes: HashKeyStatus[] }, json = false): void {
  if (json) return printJson({ master_keys: masters, hash_keys: hashes })
  for (const line of [...masters.map(lineOfMaster), ...hashes.map(lineOfHash)]) print(line)
}

function lineOfHash(key: HashKeyStatus): string {
  const counts = Object.entries(key.needed).map(([kind, count]) => `${count} ${kind}`)
  const words = describeState(key, {
    first: 'hashes new values',
    needed:
      'still needed: `keys rotate` rehashes phones, employee numbers and dependants, the others are rehashed when presented again, or deleted by `keys end-hash-key`',
    retired: 'retired: remove it a day after it was first',
  })
  return `HASH_KEY ${key.id}  ${counts.join(', ')}, ${words}`
}

function lineOfMaster(key: KeyStatus): string {
  const words = describeState(key, {
    first: 'wraps new data keys',
    needed: 'still needed until `keys rotate` is run',
    retired: 'retired: remove it',
  })
  return `MASTER_KEYS ${key.id}  ${key.fingerprint}  ${key.total} data keys, ${words}`
}

/** `retired`: no row needs it, but it is still configured. */
type Words = Record<'first' | 'needed' | 'retired', string>

function describeState({ first, used, retired, configured, total }: KeyStatus, words: Words): string {
  if (total > 0 && !configured) return 'missing: add it after the first key'
  if (first) return words.first
  if (total > 0) return words.needed
  if (retired) return configured ? words.retired : 'retired'
  return used ? '`keys rotate` retires it' : 'not used yet'
}

function masterKeyId(text: string): string {
  if (!/^[\w-]{1,32}$/.test(text)) throw new InvalidArgumentError('An id has 1 to 32 characters of A-Z a-z 0-9 _ -.')
  return text
}

const wholeNumber = (unit: string) => (text: string) => {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError(`Must be a whole number of ${unit}.`)
  return Number(text)
}
