import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { progressLine } from '../../../src/commands/terminal.ts'
import { newWorkspace, newWorkspaceWithDatabase, runCommand, runScript } from '../../support/server.ts'

const workspace = await newWorkspace()
after(() => workspace.remove())

const script = async (shell: string) => {
  const { code, stdout, stderr } = await runCommand(['completion', shell], workspace.environment)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

const bash = await script('bash')

/** What follows each command, by its words. */
const following = new Map(
  [...bash.matchAll(/^ {4}'([a-z -]*)'\) words='([^']*)' ;;$/gm)].map(([, after = '', words = '']) => [
    after,
    words.split(' '),
  ]),
)

/** Those that run until they are stopped, print lines of JSON anyway, or print a script or a schema. */
const WITHOUT_JSON = [
  'start',
  'serve',
  'work',
  'sandbox',
  'events listen',
  'erasures held',
  'erasures list',
  'erasures open',
  'audit show',
  'completion',
  'config schema',
]

describe('every command that prints', () => {
  it('has --json', () => {
    const isGroup = (name: string) =>
      name === '' || (name !== 'config' && [...following.keys()].some((one) => one.startsWith(`${name} `)))
    const commands = [...following.keys()].filter((name) => !isGroup(name))
    assert(commands.length > 20)
    assert.deepEqual(
      commands.filter((name) => !following.get(name)?.includes('--json')).toSorted(),
      WITHOUT_JSON.toSorted(),
    )
  })

  it('prints one document with it, and the same exit code', async () => {
    const { environment, remove } = await newWorkspaceWithDatabase()
    after(remove)
    const json = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCommand([...args, '--json'], environment)
      assert.deepEqual([code, stderr.replace(/^\{.*\}\n/gm, '')], [0, ''], args.join(' '))
      return JSON.parse(stdout)
    }
    assert.deepEqual(await json('migrate'), { database: 'plain PostgreSQL' })
    assert.deepEqual(await json('ledger', 'verify'), { wallets: 0, transactions: 0, deposits: 0, wrong: [] })
    assert.match((await json('token', '--role', 'viewer')).access_token, /^eyJ/)
    assert.deepEqual(await json('audit', 'verify'), {
      batches: 0,
      entries: 0,
      wrong: [],
      head: null,
      archived: 0,
    })
    const { hash_keys: hashes, master_keys: masters } = await json('keys', 'status')
    assert.deepEqual([hashes.length, masters[0].first], [1, true])
    assert((await json('formats', 'verify')).columns.length > 10)
    assert.deepEqual(await json('documents', 'verify'), { documents: 0, defects: [] })
    assert.equal((await json('keys', 'new-master', 'm9')).id, 'm9')
    assert.equal((await json('keys', 'rotate-signing')).signing_keys, null)
    const { code, stdout } = await runCommand(['audit', 'head', '--json'], environment)
    assert.deepEqual([code, stdout], [1, ''], 'nothing is sealed yet')
  })
})

describe('completion', () => {
  it('in bash, of commands, of those below them, and of options', async () => {
    const complete = async (...words: string[]) => {
      const call = `COMP_WORDS=(banyan ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _banyan; echo "\${COMPREPLY[*]}"`
      const { code, stdout, stderr } = await runScript(`${bash}\n${call}`, workspace.environment)
      assert.deepEqual([code, stderr], [0, ''])
      return stdout.trim()
    }
    assert.equal(await complete('doct'), 'doctor')
    assert.equal(await complete('keys', 'rotate'), 'rotate rotate-signing')
    assert.equal(await complete('keys', 'end-hash-key', '--a'), '--after')
    assert.equal(await complete('completion', 'z'), 'zsh')
  })

  it('for zsh and fish names every command, too', async () => {
    const [zsh, fish] = [await script('zsh'), await script('fish')]
    assert.match(zsh, /compdef _banyan banyan\n$/)
    for (const name of following.get('') ?? [])
      if (!name.startsWith('-')) assert(zsh.includes(name) && fish.includes(name), name)
    assert.match(
      fish,
      /^complete -c banyan -n '__banyan_is "keys"' -f -a 'status rotate end-hash-key new-master rotate-signing'$/m,
    )
  })
})

describe('progress', () => {
  it('has the rate and, where the total is known, the time left', () => {
    assert.equal(
      progressLine({ done: 50, all: 200, unit: 'rows', seconds: 2 }),
      '[#####...............] 50 of 200 rows, 25 rows/s, 6 s left',
    )
    assert.equal(progressLine({ done: 50, all: undefined, unit: 'wallets', seconds: 2 }), '50 wallets, 25 wallets/s')
  })
})
