import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { librariesIn, unpackPackages } from '../support/debian-packages.ts'
import { eventually, type Workspace } from '../support/server.ts'
import { logIn, type Role, settled } from './dashboard.ts'
import { createPeople } from './dashboard-people.ts'
import { shownDocuments } from './screen-pictures.ts'

const run = promisify(execFile)

const WIDTH = 1_080
/** So that text is sharp on the screens of today. */
const SCALE = 2

type People = Awaited<ReturnType<typeof createPeople>>
type Picture = {
  /** The file in `docs/pictures`. */
  name: string
  role: Role
  width?: number
  height: number
  /** Leads to what the picture shows. */
  show: (page: Page, people: People, open: Open) => Promise<void>
}
/** Opens a path of the dashboard. */
type Open = (path: string) => Promise<void>

const firstLink = (page: Page, table: string) => page.getByRole('table', { name: table }).getByRole('link').first()

/** Opens the first policy in a state. */
async function showPolicy(page: Page, open: Open, state: string): Promise<void> {
  await open(`/policies?status=${state}`)
  await firstLink(page, 'Policies').click()
  await page.getByRole('heading', { name: /^Policy/ }).waitFor()
  await settled(page)
}

const reveal = (page: Page, what: string) => page.getByRole('button', { name: `Show ${what}` }).click()

/** Without anything that has the focus or is pointed at. */
const atRest = (page: Page) => page.locator('body').hover({ position: { x: 1, y: 1 }, force: true })

const PICTURES: readonly Picture[] = [
  {
    name: 'home',
    role: 'owner',
    width: 1_180,
    height: 1_180,
    async show(_page, { owner }, open) {
      const people = await owner.users.list({ limit: 1 })
      await eventually(
        () => owner.statistics.read(),
        ({ users, events_waiting }) => users.ONBOARDED === people.total && events_waiting === 0,
      )
      await open('/')
    },
  },
  { name: 'desk-home', role: 'benefit_provider', height: 860, show: (_page, _people, open) => open('/') },
  {
    name: 'policy',
    role: 'benefit_provider',
    width: 1_180,
    height: 1_000,
    show: (page, _people, open) => showPolicy(page, open, 'ISSUED'),
  },
  {
    name: 'issue-three',
    role: 'benefit_provider',
    height: 560,
    async show(page, _people, open) {
      await open('/policies?status=APPROVED')
      const rows = page.getByRole('checkbox', { name: /^Select policy/ })
      for (const index of [0, 1, 2]) await rows.nth(index).check()
      await page.getByRole('button', { name: 'Issue', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Issue: 3' }).click()
      await page.getByText('3 of 3, 3 done').waitFor()
    },
  },
  {
    name: 'replace-document',
    role: 'benefit_provider',
    height: 760,
    async show(page, { owner }, open) {
      const { data } = await owner.policies.list({ status: ['ISSUED'], limit: 2 })
      const [policy, other] = data
      if (!policy || !other) throw new Error('There are not two issued policies')
      const { bytes } = await owner.user(other.user_id).policies.downloadDocument(other.id, 'policy_certificate')
      await open(`/users/${policy.user_id}/policies/${policy.id}`)
      const file = { name: 'certificate.pdf', mimeType: 'application/pdf', buffer: Buffer.from(await bytes()) }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByRole('dialog').getByTitle('The chosen file').waitFor()
    },
  },
  {
    name: 'conflict',
    role: 'operator',
    height: 560,
    async show(page, { owner }, open) {
      await showPolicy(page, open, 'VERIFICATION')
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('The declaration is incomplete.')
      const { data } = await owner.policies.list({ status: ['VERIFICATION'] })
      const shown = data.find(({ id }) => page.url().includes(id))
      if (!shown) throw new Error('The policy is not in verification any more')
      await owner.user(shown.user_id).policies.setStatus(shown.id, { status: 'APPROVED' })
      await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
      await page.getByText('Somebody else has changed this since').waitFor()
    },
  },
  {
    name: 'consultation',
    role: 'benefit_provider',
    height: 560,
    async show(page, _people, open) {
      await open('/consultations')
      await firstLink(page, 'Consultations').click()
      const thread = page.getByRole('log', { name: 'Messages' })
      await page.getByLabel('Reply').fill('Please rest, and drink enough. Do you have a fever?')
      await page.getByLabel('Reply').press('Control+Enter')
      await thread.getByText('Please rest').waitFor()
      await page.getByText('Sending…').waitFor({ state: 'detached' })
    },
  },
  {
    name: 'renewals',
    role: 'benefit_provider',
    height: 520,
    show: (_page, _people, open) => open('/policies?status=REQUIRES_CUSTOMER_RENEWAL'),
  },
  {
    name: 'search',
    role: 'platform',
    height: 360,
    async show(page, { owner }, open) {
      const { data } = await owner.users.list({ limit: 100 })
      const person = data.find(({ first_name, last_name }) => first_name === 'Asha' && last_name === 'Example')
      await open('/search')
      await page.getByLabel('Search for').fill(person?.phone_number ?? '')
      await page.keyboard.press('Enter')
      await firstLink(page, 'People').waitFor()
    },
  },
  {
    name: 'codes',
    role: 'platform',
    height: 520,
    async show(page, { newPerson, exceedCodeLimit }, open) {
      const { id, phone } = await newPerson()
      await exceedCodeLimit(phone)
      await open(`/users/${id}?tab=codes`)
      await reveal(page, 'one-time codes')
      await page.getByRole('table', { name: 'One-time codes' }).waitFor()
    },
  },
  {
    name: 'wallets',
    role: 'operator',
    height: 420,
    async show(page, { sandbox, newFailedWallet }, open) {
      await sandbox.operator.mode('reject')
      for (let count = 0; count < 4; count++) await newFailedWallet()
      await sandbox.operator.mode('ok')
      await open('/wallets')
      await page.getByLabel('Select all on this page').check()
    },
  },
  {
    name: 'webhook',
    role: 'operator',
    height: 900,
    async show(page, { platform, sandbox }, open) {
      const receiver = sandbox.webhooks('benefits-app')
      await receiver.behave({ mode: 'fail' })
      const { id } = await platform.webhookEndpoints.create({ url: receiver.url, event_types: ['*'] })
      await platform.webhookEndpoints.test(id)
      await eventually(
        () => platform.webhookEndpoints.listDeliveries(id),
        ({ data }) => data.some(({ attempts }) => attempts.length > 0),
      )
      await open('/webhooks')
      await page.getByRole('table', { name: 'Failing endpoints' }).getByRole('link', { name: receiver.url }).click()
      await page.getByRole('link', { name: 'webhook_endpoint.tested' }).click()
      await page.getByRole('table', { name: 'Attempts' }).getByText('500').first().waitFor()
    },
  },
  {
    name: 'credentials',
    role: 'operator',
    height: 620,
    async show(page, _people, open) {
      await open('/platforms')
      await page.getByRole('link', { name: 'Demo Platform' }).click()
      await page
        .getByRole('button', { name: /^Revoke crd_/ })
        .first()
        .click()
      await page.getByRole('dialog').getByText('Within a second').waitFor()
    },
  },
  {
    name: 'audit',
    role: 'owner',
    height: 640,
    show: (_page, _people, open) => open('/audit?action=change'),
  },
  {
    name: 'erasure',
    role: 'platform',
    height: 860,
    async show(page, { owner }, open) {
      const { data } = await owner.wallets.list({ wallet_status: ['COMPLETED'], limit: 1 })
      await open(`/users/${data[0]?.user_id}?tab=data`)
      await page.getByRole('table', { name: 'What becomes of each kind of data' }).waitFor()
    },
  },
]

/** Makes the pictures of the handbook, or some of them by name. */
export async function takeHandbookPictures(
  workspace: Workspace,
  folder: string,
  only: readonly string[] = [],
): Promise<void> {
  const { origin } = workspace
  const people = await createPeople(workspace)
  const shrink = await createShrink()
  const wanted = PICTURES.filter(({ name }) => only.length === 0 || only.includes(name))
  for (const { name, role, width = WIDTH, height, show } of wanted) {
    const { page } = await logIn(origin, role, SCALE)
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    await show(page, people, async (path) => {
      await page.goto(`${origin}/dashboard${path}`)
      await settled(page)
    })
    await settled(page)
    await shownDocuments(page)
    await atRest(page)
    const path = join(folder, `${name}.png`)
    await page.screenshot({ path })
    await shrink(path)
    console.log(path)
    await page.context().close()
  }
}

const INSTALLED = '/usr/bin/pngquant'
const COLOURS = '128'

/** Returns what reduces a picture to few colours, a quarter of its size: the machine's own pngquant, or Debian's. */
async function createShrink(): Promise<(path: string) => Promise<void>> {
  const root = existsSync(INSTALLED) ? '/' : await unpackPackages(['pngquant'])
  const env = root === '/' ? {} : { LD_LIBRARY_PATH: librariesIn(root) }
  return async (path) => {
    const options = ['--force', '--strip', '--speed', '1', '--output', path]
    await run(join(root, INSTALLED), [...options, COLOURS, path], { env })
  }
}
