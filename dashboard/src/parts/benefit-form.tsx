import type { Benefit, Money, PlanInput } from '@banyan/client'
import { Alert, Button, Fieldset, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { fieldErrorsOf, textOf } from '../api/problem.ts'
import { amountIn } from './money.tsx'
import { premiumOf } from './premium.ts'
import { HOW_TO_WRITE_RUPEES } from './rupees.ts'

const PLAN_FIELDS = [
  { name: 'plan_code', label: 'Plan code, such as FAMILY_5L' },
  { name: 'term_months', label: 'Term in months' },
  { name: 'daily', label: 'Premium a day, ₹' },
  { name: 'annual', label: 'Premium a year, ₹' },
  { name: 'sponsor_contribution', label: 'The sponsor pays a year, ₹' },
  { name: 'renewal_window_days', label: 'Renewal opens, days before the end' },
  { name: 'grace_days', label: 'Grace, days after the end' },
] as const

const AMOUNTS = ['daily', 'annual', 'sponsor_contribution'] as const
const NUMBERS = ['term_months', 'renewal_window_days', 'grace_days'] as const
const NO_NUMBER = 'Write a whole number in digits, such as 12.'

type PlanText = Record<(typeof PLAN_FIELDS)[number]['name'], string>
type Errors = Readonly<Record<string, string>>

const NEW_PLAN: PlanText = {
  plan_code: '',
  term_months: '12',
  daily: '',
  annual: '',
  sponsor_contribution: '0',
  renewal_window_days: '30',
  grace_days: '30',
}

const textOfPlan = ({
  premium_amounts: { daily, annual, sponsor_contribution },
  ...plan
}: Benefit['plans'][number]) => ({
  plan_code: plan.plan_code,
  term_months: String(plan.term_months),
  daily: daily.rupees,
  annual: annual.rupees,
  sponsor_contribution: sponsor_contribution.rupees,
  renewal_window_days: String(plan.renewal_window_days),
  grace_days: String(plan.grace_days),
})

/** The plan as it is sent, when `ownErrors` has none. What is empty is left out, so that the service says what it needs. */
function planFrom(text: PlanText): PlanInput {
  const number = (one: string) => (one.trim() === '' ? undefined : Number(one)) as number
  const amount = (name: (typeof AMOUNTS)[number]) => amountIn(text[name]) as Money
  return {
    plan_code: text.plan_code.trim(),
    term_months: number(text.term_months),
    premium_amounts: {
      annual: amount('annual'),
      daily: amount('daily'),
      sponsor_contribution: amount('sponsor_contribution'),
    },
    renewal_window_days: number(text.renewal_window_days),
    grace_days: number(text.grace_days),
  }
}

/** What cannot be sent. `Number` would read `1e2` and `0x10`. */
const ownErrors = (plans: readonly PlanText[]): Errors =>
  Object.fromEntries(
    plans.flatMap((plan, index) => [
      ...AMOUNTS.filter((name) => !amountIn(plan[name])).map((name) => [pointerOf(index, name), HOW_TO_WRITE_RUPEES]),
      ...NUMBERS.filter((name) => !/^\s*\d*\s*$/.test(plan[name])).map((name) => [pointerOf(index, name), NO_NUMBER]),
    ]),
  )

const pointerOf = (index: number, name: string): string =>
  AMOUNTS.some((amount) => amount === name) ? `/plans/${index}/premium_amounts/${name}` : `/plans/${index}/${name}`

/** The error beside a field; that of an amount can be about its value. */
const errorAt = (errors: Errors, pointer: string): string | undefined => errors[pointer] ?? errors[`${pointer}/value`]

const isSame = (some: readonly PlanText[], others: readonly PlanText[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others)

type Choice = { value: string; label: string }
export type Parties = { providers: readonly Choice[]; sponsors: readonly Choice[]; sponsorId?: string | undefined }
export type BenefitValues = {
  name: string
  providerId: string
  sponsorId: string
  plans: PlanInput[]
  /** What is different from the benefit that the form began with; plans go together. */
  changed: { name?: string; plans?: PlanInput[] }
}

type BenefitFormSettings = {
  benefit?: Benefit
  /** For a new one: who delivers it and who pays. Fixed afterwards. */
  parties?: Parties
  submit: string
  send: (values: BenefitValues) => Promise<unknown>
  cancel: () => void
  /** The choice that somebody else’s change asks for. */
  conflict?: ReactNode
}

/** A benefit with its plans; what follows from the amounts is shown as they are typed. */
export function BenefitForm({ benefit, parties, submit, send, cancel, conflict }: BenefitFormSettings) {
  const [name, setName] = useState(benefit?.name ?? '')
  const [providerId, setProvider] = useState(parties?.providers[0]?.value ?? '')
  const [sponsorId, setSponsor] = useState(parties?.sponsorId ?? parties?.sponsors[0]?.value ?? '')
  const [before] = useState<readonly PlanText[]>(benefit?.plans.map(textOfPlan) ?? [NEW_PLAN])
  const [plans, setPlans] = useState(before)
  const [errors, setErrors] = useState<Errors>({})
  const [problem, setProblem] = useState<Error>()
  const [isSending, setSending] = useState(false)
  const setPlan = (index: number, patch: Partial<PlanText>) =>
    setPlans(plans.map((plan, at) => (at === index ? { ...plan, ...patch } : plan)))

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    const own = ownErrors(plans)
    setErrors(own)
    setProblem(undefined)
    if (Object.keys(own).length > 0) return
    setSending(true)
    const sent = plans.map(planFrom)
    const changed = { ...(name !== benefit?.name && { name }), ...(!isSame(plans, before) && { plans: sent }) }
    await send({ name, providerId, sponsorId, plans: sent, changed }).catch((error: Error) => {
      setErrors(fieldErrorsOf(error))
      setProblem(error)
    })
    setSending(false)
  }

  return (
    <form onSubmit={(event) => void onSubmit(event)} noValidate>
      <Stack gap="md">
        <div className="fields" data-columns={2}>
          <TextInput
            label="Name"
            withAsterisk
            value={name}
            error={errors['/name']}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          {parties && (
            <>
              <NativeSelect
                label="Benefit provider"
                data={[...parties.providers]}
                value={providerId}
                error={errors['/benefit_provider_id']}
                onChange={({ currentTarget }) => setProvider(currentTarget.value)}
              />
              <NativeSelect
                label="Sponsor"
                data={[...parties.sponsors]}
                value={sponsorId}
                error={errors['/sponsor_id']}
                onChange={({ currentTarget }) => setSponsor(currentTarget.value)}
              />
            </>
          )}
        </div>
        {plans.map((plan, index) => (
          <PlanFields
            key={index}
            plan={plan}
            at={index}
            errors={errors}
            set={(patch) => setPlan(index, patch)}
            remove={plans.length > 1 ? () => setPlans(plans.filter((_, at) => at !== index)) : undefined}
          />
        ))}
        {conflict}
        {problem && (
          <Alert color="red" variant="outline" role="alert">
            {textOf(problem)}
          </Alert>
        )}
        <Group justify="space-between">
          <Button variant="default" size="xs" onClick={() => setPlans([...plans, NEW_PLAN])}>
            Add a plan
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button type="submit" loading={isSending}>
              {submit}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  )
}

type PlanSettings = {
  plan: PlanText
  at: number
  errors: Errors
  set: (patch: Partial<PlanText>) => void
  remove: (() => void) | undefined
}

function PlanFields({ plan, at, errors, set, remove }: PlanSettings) {
  return (
    <Fieldset legend={`Plan ${at + 1}`}>
      <Stack gap="sm">
        <div className="fields" data-columns={2}>
          {PLAN_FIELDS.map(({ name, label }) => (
            <TextInput
              key={name}
              label={label}
              inputMode={name === 'plan_code' ? 'text' : 'decimal'}
              value={plan[name]}
              error={errorAt(errors, pointerOf(at, name))}
              onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
            />
          ))}
        </div>
        <Arithmetic plan={plan} use={(annual) => set({ annual })} />
        {remove && (
          <Group justify="flex-end">
            <Button size="compact-xs" variant="subtle" color="red" onClick={remove}>
              Remove the plan
            </Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}

/** What follows from the amounts. The service stores them as they are, so a difference is said and not forbidden. */
function Arithmetic({ plan, use }: { plan: PlanText; use: (annual: string) => void }) {
  const { year, difference, person, sharePercent, isShareTooMuch } = premiumOf({
    daily: amountIn(plan.daily),
    annual: amountIn(plan.annual),
    share: amountIn(plan.sponsor_contribution),
  })
  const isFilled = plan.annual.trim() !== ''
  const line = (text: ReactNode) => <Text size="sm">{text}</Text>
  return (
    <Stack gap={4} aria-live="polite" role="group" aria-label="What follows">
      {year && line(<>365 days of the daily premium: {year.format()}.</>)}
      {difference && line(<>The premium a year differs from it by {difference.format()}. Both are stored as typed.</>)}
      {year && (difference || !isFilled) && (
        <Group>
          <Button size="compact-xs" variant="default" onClick={() => use(year.rupees)}>
            Use {year.format()} a year
          </Button>
        </Group>
      )}
      {person &&
        line(
          <>
            The person pays {person.format()} a year{sharePercent !== undefined && `, the sponsor ${sharePercent} %`}.
          </>,
        )}
      {isShareTooMuch && line('The sponsor pays more than the premium.')}
    </Stack>
  )
}
