/** An auditor's look at people: notice, consent, withdrawal, who has read what by which credential, what an erasure leaves. It only reads. */
import { parseArgs } from 'node:util'

const HELP = `node audit.mjs [--credential ID]... [--platform ID] [--seconds 60] [USER_ID]...
Looks at these people, or at all of them. --credential: what else may have read them; your own is there. --platform: by its consent rules.
BANYAN_URL, and BASIC_TOKEN of a platform or ACCESS_TOKEN of an owner; what another may not read is missing.
Ends with 0 if nothing is missing, 1 if something is, 2 if it was called wrongly or refused, 3 when the time is over.`
/** Texts are of others: nothing in them may steer a terminal. */
const quote = (value) => JSON.stringify(value).replace(/[\u007f-\u009f\u200e-\u2069]/g, ' ')
const end = (code, text) => {
  console[code > 1 ? 'error' : 'log'](text)
  process.exit(code)
}
process.on('uncaughtException', (error) => end(error.name === 'TimeoutError' ? 3 : 2, `Not complete: ${error.message}`))

const credential = { type: 'string', multiple: true, default: [] }
const options = { credential, platform: { type: 'string' }, seconds: { type: 'string', default: '60' } }
const { values, positionals } = parseArgs({ options: { ...options, help: { type: 'boolean' } }, allowPositionals: true })
if (values.help) end(0, HELP)
const { BANYAN_URL = 'http://localhost:8080', BASIC_TOKEN, ACCESS_TOKEN } = process.env
if (!BASIC_TOKEN === !ACCESS_TOKEN || !(Number(values.seconds) > 0)) end(2, HELP)
const signal = AbortSignal.timeout(Number(values.seconds) * 1000)

async function read(path, request = { headers: { authorization: `Bearer ${token}` } }) {
  const response = await fetch(`${BANYAN_URL}/v1${path}`, { signal, redirect: 'error', ...request })
  if (![200, 403, 404].includes(response.status)) throw new Error(`${path} responded ${response.status}`)
  return { status: response.status, ...(await response.json()) }
}
const grant = new URLSearchParams({ grant_type: 'client_credentials' })
const basic = { method: 'POST', headers: { authorization: `Basic ${BASIC_TOKEN}` }, body: grant }
const token = ACCESS_TOKEN ?? (await read('/oauth/token', basic)).access_token
/** Every entry of a list, by its cursor or its offset; with the status of a refusal. */
async function list(path, query = {}) {
  const found = []
  for (let next = {}; next; ) {
    const page = await read(`${path}?${new URLSearchParams({ limit: '100', ...query, ...next })}`)
    if (page.status !== 200) return Object.assign(found, { refused: page.status })
    found.push(...page.data)
    if (page.total === undefined) next = page.has_more && { after: page.next }
    else next = page.data.length > 0 && found.length < page.total && { offset: String(found.length) }
  }
  return found
}
const missing = []
const miss = (text) => missing.push(text) && console.log(`  MISSING ${text}`)
const today = new Date(Date.now() + 19_800_000).toISOString().slice(0, 10) // in India
const rules = values.platform ? await read(`/platforms/${String(values.platform)}/consent_rules`) : {}
const needed = Object.keys(rules).filter((of) => rules[of]?.ground === 'CONSENT' && rules[of].from <= today)
const own = BASIC_TOKEN ? [Buffer.from(BASIC_TOKEN, 'base64').toString().split(':')[0]] : []
const exposure = []
for (const id of new Set([own, values.credential].flat())) {
  const of = await list('/exposure', { credential_id: id })
  if (of.refused) miss(`the exposure of ${id}: ${of.refused}`)
  exposure.push(...of.map((entry) => ({ ...entry, id })))
}
const notices = new Map()
for (const user of positionals.length > 0 ? positionals : (await list('/users')).map(({ user_id }) => user_id)) {
  console.log(`\nperson ${user}`)
  const consents = await list(`/users/${user}/consents`)
  if (consents.refused) miss(`the person: ${consents.refused}, unknown, erased or not yours to read`)
  for (const { purpose, notice_version, language, ...consent } of consents) {
    const name = `${notice_version}/${language}`
    const isNew = !notices.has(name)
    if (isNew) notices.set(name, await read(`/notices/${name}`))
    console.log(`  consent ${purpose} ${consent.given_by} ${consent.created_at} notice ${name} withdrawn ${consent.withdrawn_at ?? '-'}`)
    if (isNew && notices.get(name).status !== 200) miss(`the text of notice ${name}: ${notices.get(name).status}`)
    if (!consent.proof) miss(`a proof of consent ${consent.id}`)
  }
  const standing = consents.filter(({ withdrawn_at }) => !withdrawn_at).map(({ purpose }) => purpose)
  for (const purpose of needed) if (!standing.includes(purpose)) miss(`a consent to ${purpose}`)
  for (const entry of exposure.filter((one) => one.user_id === user))
    console.log(`  ${entry.action} ${entry.operation} ${entry.count} × until ${entry.last_at} by ${entry.id}`)
  const erasure = await read(`/users/${user}/erasure`)
  if (erasure.is_scheduled) console.log(`  erasure scheduled ${erasure.erased_at}`)
  for (const { field, law, until } of (erasure.fields ?? []).filter(({ outcome }) => outcome === 'retained'))
    console.log(`  erasure retains ${field} until ${until ?? 'no day'} by ${law ?? 'no law'}`)
}
for (const [name, { items, text }] of notices) if (text) console.log(`\nnotice ${name} ${quote(text)} ${quote(items)}`)
end(missing.length > 0 ? 1 : 0, `\n${missing.length} missing`)
