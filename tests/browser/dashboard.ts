import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { makePeople } from '../../sandbox/demo-people.ts'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'
import type { Workspace } from '../support/server.ts'
import { newWorkspaceWithDatabase, runCommand, startServer } from '../support/server.ts'
import { openPerson } from './chromium.ts'

/** The people of the sandbox, by the role that one click gives. */
export const PEOPLE = {
  owner: 'Asha Example',
  operator: 'Ravi Example',
  viewer: 'Meera Example',
  benefit_provider: 'Kiran Example',
  platform: 'Nila Example',
} as const
export type Role = keyof typeof PEOPLE

/** A screen of the dashboard's own table. */
export type Screen = { path: string; title: string; who: readonly Role[] }

// By its address, because the dashboard is compiled with settings of its own.
const TABLE = new URL('../../dashboard/src/app/screens.ts', import.meta.url).href
export const { SCREENS } = (await import(TABLE)) as { SCREENS: readonly Screen[] }

export const THEMES = ['light', 'dark'] as const

/** Starts the program with its sandbox, and makes people. */
export async function startDashboard(count: number, settings: Record<string, string> = {}) {
  const workspace = await newWorkspaceWithDatabase()
  const server = await startServer(workspace, settings)
  after(async () => {
    await server.stop()
    await workspace.remove()
  })
  const { userIds } = await makePeopleAt(workspace, count)
  const { origin } = workspace
  const people = await peopleAt(workspace)
  return { workspace, origin, userIds, people, logIn: (role: Role) => logIn(origin, role) }
}

export type Person = Record<'user_id' | 'phone_number' | 'first_name' | 'last_name' | 'email', string | null>

/** The people of a workspace, as an owner reads them. */
async function peopleAt({ origin, environment }: Workspace): Promise<Person[]> {
  const { stdout } = await runCommand(['token', '--role', 'owner'], environment)
  const headers = { authorization: `Bearer ${stdout.trim()}`, purpose: 'Testing the dashboard' }
  const response = await fetch(`${origin}/v1/users?limit=100`, { headers })
  assert.equal(response.status, 200)
  return ((await response.json()) as { data: Person[] }).data
}

/** Returns the personal data that the page has left where others may read it: address, title, storage. */
export async function personalTraces(page: Page, people: readonly Person[]): Promise<string[]> {
  const kept = await page.evaluate('JSON.stringify([document.title, { ...localStorage }, { ...sessionStorage }])')
  const traces = decodeURIComponent(page.url()) + String(kept)
  return people
    .flatMap(({ phone_number, first_name, last_name, email }) => [phone_number, first_name, last_name, email])
    .filter((datum) => datum !== null && traces.includes(datum)) as string[]
}

/** Returns how far the page is wider than the window. */
export const overflow = async (page: Page): Promise<number> =>
  Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))

/** Makes people with the demo of the program at this workspace. */
export async function makePeopleAt({ origin, sandboxUrl, environment }: Workspace, count: number) {
  const { stdout } = await runCommand(['token', '--role', 'owner'], environment)
  const { platform, provider } = SANDBOX_PARTNERS
  const partners = { platformId: platform.id, providerId: provider.id }
  return makePeople({ origin, sandboxUrl, ownerToken: stdout.trim(), partners, count, onProgress: () => {} })
}

/**
 * A browser in which a person has logged in by one click. `complaints`: what the console said, among it breaches of the
 * content policy, and requests to elsewhere.
 */
export async function logIn(origin: string, role: Role, deviceScaleFactor = 1) {
  const { page, complaints } = await openPerson(origin, deviceScaleFactor)
  page.on('request', (request) => {
    const url = new URL(request.url())
    // The browser's own pages, such as its viewer of PDFs, are not on the network.
    if (/^(?:https?|wss?):$/.test(url.protocol) && url.hostname !== 'localhost')
      complaints.push(`a request to ${url.origin}`)
  })
  await page.goto(`${origin}/dashboard`)
  const screens = page.getByRole('navigation', { name: 'Screens' })
  const step = page
    .getByRole('link', { name: /^Log in(?: again)?$/ })
    .or(page.getByRole('button', { name: PEOPLE[role] }))
    .first()
  // On a busy machine the sandbox can be later than a request may be: the page that says so offers to log in again.
  for (;;) {
    await screens.or(step).first().waitFor({ state: 'attached' })
    if ((await screens.count()) > 0) break
    await Promise.all([page.waitForEvent('load'), step.click()])
  }
  complaints.length = 0 // the question who is logged in was answered with 401
  return { page, complaints }
}

/** Resolves when the screen shows what it has to show. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  // No function that waits in the page: the content policy forbids it to evaluate.
  const loading = page.locator('[aria-label=Loading], [aria-busy=true]')
  while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' })
}

/** The lists of the records that a screen of one record shows. */
const LISTS: Readonly<Record<string, string>> = {
  sponsorId: 'sponsors',
  benefitId: 'benefits',
  platformId: 'platforms',
  benefitProviderId: 'benefit_providers',
}

/** Returns the newest credential of the person’s platform, or of one that they see. */
const credentialOf = (page: Page, origin: string) =>
  page.evaluate(`(async () => {
    const read = (path) => fetch('${origin}/v1' + path).then((response) => response.json())
    const { owner_id } = await read('/auth/session')
    const id = owner_id ?? (await read('/platforms?limit=1')).data[0].id
    return (await read('/platforms/' + id + '/credentials')).credentials[0].credential_id
  })()`) as Promise<string>

/** Returns the path of the deposit that a benefit which the person sees can take its premiums from. */
const depositOf = (page: Page, origin: string) =>
  page.evaluate(`fetch('${origin}/v1/benefits?limit=1')
    .then((response) => response.json())
    .then(({ data: [one] }) => '/sponsors/' + one.sponsor_id + '/deposits/' + one.benefit_provider_id)`) as Promise<string>

/** Returns the path of a screen with the ids of a record that the person sees. */
export async function pathOf(page: Page, origin: string, { path }: Screen): Promise<string> {
  const [, name = ''] = /^\/\w+\/\$(\w+)$/.exec(path) ?? []
  if (name === 'credentialId') return path.replace(`$${name}`, await credentialOf(page, origin))
  const list = LISTS[name]
  if (list !== undefined) {
    const [record] = (await page.evaluate(`fetch('${origin}/v1/${list}?limit=1')
      .then((response) => response.json())
      .then(({ data }) => data)`)) as { id: string }[]
    return path.replace(`$${name}`, record?.id ?? name)
  }
  if (!path.includes('$')) return path
  if (path.startsWith('/sponsors/$')) return depositOf(page, origin)
  const owned = path.includes('$consultationId') ? 'consultations?' : 'insurance_policies?status=ISSUED&'
  const ids = await page.evaluate(`fetch('${origin}/v1/${owned}limit=1')
    .then((response) => response.json())
    .then(({ data: [record] }) => ({ userId: record.user_id, policyId: record.id, consultationId: record.id }))`)
  return path.replaceAll(/\$(\w+)/g, (_, name: string) => (ids as Record<string, string>)[name] ?? name)
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** The rules of axe about colours: a page in other colours is the same page for all others, which cost most of the time. */
const COLOUR_RULES = { light: undefined, dark: ['color-contrast', 'link-in-text-block'] } as const

/** Asserts that axe finds nothing on the page, or in a part of it, in both themes. `what`: for the message. */
export async function assertReadable(page: Page, { part = 'html', what = page.url() } = {}): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' })
    assert.deepEqual(await axeFindings(page, part, COLOUR_RULES[colorScheme]), [], `${what} in ${colorScheme}`)
  }
}

/** Returns what axe finds by all rules, or by these, as text, one line a rule. */
async function axeFindings(page: Page, part: string, rules: readonly string[] | undefined): Promise<string[]> {
  // A colour that still fades from one theme to the other has no contrast of its own.
  await page.evaluate(`Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getTiming().iterations !== Infinity)
    .map(({ finished }) => finished))`)
  const options = { iframes: false, ...(rules && { runOnly: { type: 'rule', values: rules } }) }
  // Evaluated, because the content policy allows no other script in the page.
  await page.evaluate(await readFile(AXE, 'utf8'))
  const found = await page.evaluate(`axe.run('${part}', ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`)
  return found as string[]
}
