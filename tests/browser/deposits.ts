import {
  type Banyan,
  type Benefit,
  type BenefitProviderId,
  benefitProviderId,
  Money,
  plainDate,
  platformId,
  type SponsorId,
  type UserId,
} from '../../client/src/index.ts'
import type { Page } from 'playwright-core'
import { makeSponsor } from '../../sandbox/demo.ts'
import { SANDBOX_PARTNERS } from '../../src/settings/sandbox-partners.ts'

/** The premium of a year. */
export const YEAR = '12045'

export const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format()
export const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const entriesIn = (page: Page) => page.getByRole('table', { name: 'Entries' }).locator('tbody tr')

/** The two whose deposit it is. */
type Parties = { sponsor: SponsorId; provider: BenefitProviderId }
export const placeOf = ({ sponsor, provider }: Parties) => `/sponsors/${sponsor}/deposits/${provider}`

/** Fills in what was paid. */
export async function fillIn(page: Page, { amount, reference }: { amount: string; reference: string }) {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount in ₹').fill(amount)
  await dialog.getByLabel('Reference').fill(reference)
}

/** Makes deposits, and reads what is stored of them. */
export function withDeposits({ owner, platform }: { owner: Banyan; platform: Banyan }) {
  const stored = async ({ sponsor, provider }: Parties) =>
    (await owner.sponsors.listDepositEntries(sponsor, provider)).data
  const depositOf = async ({ sponsor }: Parties) => (await owner.sponsors.listDeposits(sponsor)).data[0]
  const balanceOf = async (at: Parties) => (await depositOf(at))?.balance.rupees
  const levelOf = async (at: Parties) => (await depositOf(at))?.low_below?.rupees

  let count = 0
  const enter = (
    { sponsor, provider }: Parties,
    rupees: string,
    kind: 'TOP_UP' | 'REVERSAL' = 'TOP_UP',
    on = today(),
  ) =>
    owner.sponsors.addDepositEntry(sponsor, provider, {
      kind,
      amount: Money.rupees(rupees),
      paid_on: plainDate(on),
      reference: `BANK-${++count}`,
    })

  /** A sponsor of its own with a benefit whose plan takes its premiums from the deposit. */
  async function newParties(): Promise<Parties & { benefit: Benefit }> {
    const sponsor = await makeSponsor(owner, platformId(SANDBOX_PARTNERS.platform.id))
    const provider = benefitProviderId(SANDBOX_PARTNERS.provider.id)
    const benefit = await owner.benefits.create({
      name: `Cover of ${sponsor.id.slice(-5)}`,
      benefit_provider_id: provider,
      sponsor_id: sponsor.id,
      plans: [
        {
          plan_code: 'CARE',
          term_months: 12,
          premium_amounts: {
            annual: Money.rupees(YEAR),
            daily: Money.rupees('33'),
            sponsor_contribution: Money.rupees(YEAR),
          },
          premium_gate: 'deposit',
        },
      ],
    })
    return { sponsor: sponsor.id, provider, benefit }
  }

  /** Policies of people of the sandbox that wait to be issued. */
  async function newApproved({ benefit }: { benefit: Benefit }, users: readonly UserId[], start_date = today()) {
    const starting = users.map(async (user_id) => {
      const plan = { benefit_id: benefit.id, plan_code: 'CARE', dependant_ids: [], start_date: plainDate(start_date) }
      const { id } = await platform.user(user_id).policies.enrol(plan)
      const { policies } = owner.user(user_id)
      for (const status of ['VERIFICATION', 'APPROVED'] as const) await policies.setStatus(id, { status })
      return { id, user_id, place: `/users/${user_id}/policies/${id}` }
    })
    return Promise.all(starting)
  }

  return { stored, balanceOf, levelOf, enter, newParties, newApproved }
}
