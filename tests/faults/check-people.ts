import type { Body } from '../support/app.ts'
import { type Entry, isAcknowledged, possiblyLast, least } from './journal.ts'
import { messagesIn, read, readAll } from './member.ts'
import { counted, countEvents, type Finding, type World, findingUnless } from './world.ts'

/** The users known to some client. */
const usersOf = ({ journal }: World): string[] => journal.entries('user').filter(isAcknowledged).map(userIdOf)

const userIdOf = ({ said }: Entry): string => (said as { user_id: string }).user_id

const idOf = ({ said }: Entry): string => (said as { id: string }).id

/** Runs a check for each user, one after the other: it reads the API. */
const ofEachUser = (check: (world: World, userId: string) => Promise<Finding[]>) => async (world: World) => {
  const findings: Finding[] = []
  // An acknowledged write that cannot be read is lost.
  const lost = (error: Error): Finding[] => [{ sort: 'lost', text: error.message }]
  for (const userId of usersOf(world)) findings.push(...(await check(world, userId).catch(lost)))
  return findings
}

const listOf = (list: string, userId: string) => `/v1/users/${userId}/${list}`

export const checkUsers = async (world: World): Promise<Finding[]> => {
  const { journal, stored } = world
  const known = new Set(stored.users.map(({ user_id }) => user_id))
  return [
    ...counted('users', journal.entries('user'), known.size),
    ...usersOf(world).flatMap((userId) =>
      known.has(userId) ? [] : [{ sort: 'lost' as const, text: `user ${userId}` }],
    ),
    ...findingUnless(new Set(usersOf(world)).size === usersOf(world).length, 'two phones have one user'),
    ...[...known].flatMap((userId) =>
      findingUnless(
        countEvents(stored, ['user.created'], { user: userId }) === 1,
        `events of the creation of ${userId}`,
      ),
    ),
  ]
}

export const checkProfiles = ofEachUser(async ({ journal, context, stored }, userId) => {
  const user = await read(context, `/v1/users/${userId}`)
  const onboarding = journal.entries('onboarding', userId)
  const accounts = stored.accounts.filter(({ user_id }) => user_id === userId).length
  return [
    ...counted(`onboarding of ${userId}`, onboarding, countEvents(stored, ['user.onboarded'], { user: userId })),
    ...counted(`accounts of ${userId}`, onboarding, accounts),
    ...(onboarding.length === 0
      ? checkUserChanges(user, journal.entries('news', userId))
      : checkName(user, onboarding)),
  ]
})

function checkUserChanges({ user_id, email }: Body, news: Entry[]): Finding[] {
  const isLast = possiblyLast(news).some(({ name }) => name === email)
  const isUnreported = email === null && !news.some(isAcknowledged)
  return findingUnless(isLast || isUnreported, `the address of ${user_id} is none of the last`)
}

function checkName({ user_id, last_name }: Body, onboarding: Entry[]): Finding[] {
  const [entry] = onboarding.filter(isAcknowledged)
  return findingUnless(!entry || last_name === entry.name, `the name of ${user_id}`)
}

export const checkDependants = ofEachUser(async ({ journal, context, stored }, userId) => {
  const list = await readAll(context, listOf('dependants', userId))
  const bulks = journal.entries('dependants', userId)
  const corrections = journal.owners('correction').filter((of) => of.startsWith(userId))
  const corrected = corrections.flatMap((of) => journal.entries('correction', of))
  const versions = stored.users.find(({ user_id }) => user_id === userId)?.dependants ?? 0
  const reported = countEvents(stored, ['dependants.created', 'dependant.updated'], { user: userId })
  return [
    ...bulks.flatMap((bulk) => checkBulk(bulk, list)),
    ...corrections.flatMap((of) => checkCorrections(of, list, journal.entries('correction', of))),
    ...counted(`versions of dependants of ${userId}`, [...bulks.flatMap(eachOf), ...corrected], versions),
    ...counted(`events of dependants of ${userId}`, [...bulks, ...corrected], reported),
  ]
})

/** Returns an entry for each dependant of a bulk call. */
const eachOf = (bulk: Entry): Entry[] => bulk.name.split(' ').map((name) => ({ ...bulk, name }))

/** All of them exist, or, when the outcome is unknown, possibly none. */
function checkBulk(bulk: Entry, list: Body[]): Finding[] {
  const found = eachOf(bulk).map(({ name }) => list.filter(({ first_name }) => first_name === name).length)
  return [
    ...found.flatMap((count) => counted(`dependant of ${bulk.of}`, [bulk], count)),
    ...findingUnless(new Set(found).size === 1, `of the dependants of ${bulk.of} some are there and some are not`),
  ]
}

function checkCorrections(of: string, list: Body[], entries: Entry[]): Finding[] {
  const [userId = '', firstName] = of.split(' ')
  const dependant = list.find(({ first_name }) => first_name === firstName)
  const allowed = possiblyLast(entries).map(({ name }) => name)
  if (!entries.some(isAcknowledged)) allowed.push('Example')
  const last = entries.findLast(isAcknowledged)
  const isSame = allowed.length > 1 || !last || dependant?.id === idOf(last)
  return findingUnless(allowed.includes(dependant?.last_name) && isSame, `correction of a dependant of ${userId}`)
}

export const checkPolicies = ofEachUser(async (world, userId) => {
  const path = listOf('insurance_policies', userId)
  const list = await readAll(world.context, path)
  const entries = world.journal.entries('policy', userId)
  const findings = entries.flatMap((entry) => {
    const found = list.filter(({ plan_code }) => plan_code === entry.name)
    const isSame = !isAcknowledged(entry) || found.some(({ id }) => id === idOf(entry))
    return [
      ...counted(`policy of ${userId}`, [entry], found.length),
      ...findingUnless(isSame, `the policy of ${userId} has another id than was acknowledged`),
    ]
  })
  for (const { id } of list) {
    const status = pathOf(world, id).at(-1)
    const { data } = await read(world.context, `${path}?status=${status}&limit=100`)
    const isListed = data.some((policy: Body) => policy.id === id)
    findings.push(...findingUnless(isListed, `policy ${id} is not listed as ${status}`), ...checkTransitions(world, id))
  }
  return findings
})

/** The states of a policy, by its history. */
const pathOf = ({ stored }: World, policyId: string): string[] =>
  stored.transitions.filter(({ entity_id }) => entity_id === policyId).map(({ to_status }) => to_status)

/** Each acknowledged transition is in the history, in order, and of others only those that may have happened unseen. */
function checkTransitions(world: World, policyId: string): Finding[] {
  const transitions = world.journal.entries('transition', policyId)
  const acknowledged = ['PENDING', ...transitions.filter(isAcknowledged).map(({ name }) => name)]
  const path = pathOf(world, policyId)
  let next = 0
  for (const status of path) if (status === acknowledged[next]) next++
  const text = `transitions of policy ${policyId}: ${path.join(' ')} instead of ${acknowledged.join(' ')}`
  if (next < acknowledged.length) return [{ sort: 'lost', text }]
  // A late attempt can change a policy sent back by a correction, and the next correction sends it back again.
  const unseen = 2 * transitions.reduce((sum, { pending }) => sum + pending, 0)
  return path.length - acknowledged.length > unseen ? [{ sort: 'doubled', text }] : []
}

export const checkConsultations = ofEachUser(async ({ journal, context, stored }, userId) => {
  const path = listOf('consultations', userId)
  const talks = await readAll(context, path)
  const opened = journal.entries('consultation', userId)
  const pages = await Promise.all(talks.map(({ id }) => readAll(context, `${path}/${id}/messages`, messagesIn)))
  const messages = pages.flat()
  const written = journal.entries('message', userId)
  const count = stored.users.find(({ user_id }) => user_id === userId)?.messages ?? 0
  const reported = countEvents(stored, ['consultation.message_created'], { user: userId })
  return [
    ...counted(`consultations of ${userId}`, opened, talks.length),
    ...opened.filter(isAcknowledged).flatMap((entry) => checkSame(entry, talks)),
    ...written.flatMap((entry) => counted(`message ${entry.name}`, [entry], contentsOf(messages, entry).length)),
    ...written.filter(isAcknowledged).flatMap((entry) => checkSame(entry, contentsOf(messages, entry))),
    ...findingUnless(messages.length === count && reported === count, `messages of ${userId} and their events`),
  ]
})

const contentsOf = (messages: Body[], { name }: Entry) => messages.filter(({ body }) => body.content === name)

const checkSame = (entry: Entry, found: Body[]): Finding[] =>
  found.some(({ id }) => id === idOf(entry))
    ? []
    : [{ sort: 'lost', text: `${entry.kind} ${idOf(entry)} of ${entry.of}` }]

export const checkSponsors = async ({ journal, context, stored }: World): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const { id, eventsBefore } of context.tenant.sponsors) {
    const entries = journal.entries('sponsor', id)
    if (entries.length === 0) continue
    const { name } = await read(context, `/v1/sponsors/${id}`)
    const reported = countEvents(stored, ['sponsor.updated'], { subject: id }) - eventsBefore
    const isLast = least(entries) === 0 || possiblyLast(entries).some((entry) => entry.name === name)
    findings.push(
      ...findingUnless(isLast, `sponsor ${id} does not have the name it was given last`),
      ...counted(`events of sponsor ${id}`, entries, reported),
    )
  }
  return findings
}
