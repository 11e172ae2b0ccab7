import type { Benefit, PlanInput } from '@banyan/client'
import { Alert, Button, Fieldset, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { errorsBeside, fieldErrorsOf, textOf } from '../api/problem.ts'
import { useLeaveQuestion } from './leave-question.ts'
import { CHOICES, isText, PLAN_FIELDS, pointerOf, pointersOf } from './plan-fields.ts'
import { type Errors, errorAt, NEW_PLAN, ownErrors, planFrom, type PlanText, textOfPlan } from './plan-text.ts'
import { premiumOf } from './premium.ts'
import { Waiting } from './problem-form.tsx'
import { amountIn } from './rupee-amount.ts'
import { useSending } from './use-sending.ts'

const isSame = (some: readonly PlanText[], others: readonly PlanText[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others)

type Choice = { value: string; label: string }
/** One of several is never chosen by the page: who pays is no guess. */
const onlyOf = (choices: readonly Choice[] = []): string => (choices.length === 1 ? (choices[0]?.value ?? '') : '')
const CHOOSE_ONE: Choice = { value: '', label: 'Choose one' }
const toChooseFrom = (choices: readonly Choice[]) => (choices.length === 1 ? [...choices] : [CHOOSE_ONE, ...choices])

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
  send: (values: BenefitValues, signal: AbortSignal) => Promise<unknown>
  cancel: () => void
  /** The choice that somebody else’s change asks for. */
  conflict?: ReactNode
}

/** A benefit with its plans; what follows from the amounts is shown as they are typed. */
export function BenefitForm({ benefit, parties, submit, send, cancel, conflict }: BenefitFormSettings) {
  const [name, setName] = useState(benefit?.name ?? '')
  const [providerId, setProvider] = useState(onlyOf(parties?.providers))
  const [sponsorId, setSponsor] = useState(parties?.sponsorId ?? onlyOf(parties?.sponsors))
  const [before] = useState<readonly PlanText[]>(benefit?.plans.map(textOfPlan) ?? [NEW_PLAN])
  const [plans, setPlans] = useState(before)
  const [own, setOwn] = useState<Errors>({})
  const { sending, error: problem, start } = useSending()
  const setPlan = (index: number, patch: Partial<PlanText>) =>
    setPlans(plans.map((plan, at) => (at === index ? { ...plan, ...patch } : plan)))

  const errors = { ...fieldErrorsOf(problem), ...own }
  const alongside = ['/name', '/benefit_provider_id', '/sponsor_id', ...plans.flatMap((_, index) => pointersOf(index))]
  const isTyped = name !== (benefit?.name ?? '') || !isSame(plans, before)
  useLeaveQuestion(isTyped && sending === undefined ? 'What you have typed is not saved.' : undefined)

  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const found = {
      ...ownErrors(name, plans),
      ...(parties && providerId === '' && { '/benefit_provider_id': CHOOSE_ONE.label }),
      ...(parties && sponsorId === '' && { '/sponsor_id': CHOOSE_ONE.label }),
    }
    setOwn(found)
    if (Object.keys(found).length > 0) return
    const sent = plans.map(planFrom)
    const changed = { ...(name !== benefit?.name && { name }), ...(!isSame(plans, before) && { plans: sent }) }
    start((signal) => send({ name, providerId, sponsorId, plans: sent, changed }, signal))
  }

  return (
    <form onSubmit={onSubmit} noValidate className="form">
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
                withAsterisk
                data={toChooseFrom(parties.providers)}
                value={providerId}
                error={errors['/benefit_provider_id']}
                onChange={({ currentTarget }) => setProvider(currentTarget.value)}
              />
              <NativeSelect
                label="Sponsor"
                withAsterisk
                data={toChooseFrom(parties.sponsors)}
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
        {problem && !errorsBeside(problem, alongside) && (
          <Alert color="red" variant="outline" role="alert" className="lines">
            {textOf(problem, alongside)}
          </Alert>
        )}
        <Waiting sending={sending} />
        <Group justify="space-between">
          <Button variant="default" size="xs" onClick={() => setPlans([...plans, NEW_PLAN])}>
            Add a plan
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button type="submit" loading={sending !== undefined}>
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
          {PLAN_FIELDS.map(({ name, label }) => {
            const field = { label, value: plan[name], error: errorAt(errors, pointerOf(at, name)) }
            const take = (value: string) => set({ [name]: value })
            const choices = CHOICES[name]
            return choices ? (
              <NativeSelect
                key={name}
                {...field}
                data={[...choices]}
                onChange={({ currentTarget }) => take(currentTarget.value)}
              />
            ) : (
              <TextInput
                key={name}
                {...field}
                inputMode={isText(name) ? 'text' : 'decimal'}
                onChange={({ currentTarget }) => take(currentTarget.value)}
              />
            )
          })}
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
