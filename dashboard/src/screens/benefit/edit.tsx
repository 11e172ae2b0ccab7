import { type Benefit, PreconditionFailedError } from '@banyan/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { benefitQuery } from '../../api/partners.ts'
import { BenefitForm, type BenefitValues } from '../../parts/benefit-form.tsx'
import { Conflict } from '../../parts/conflict.tsx'
import { notify } from '../../parts/notices.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { changesOf } from './benefit-changes.ts'

/** Changes a benefit. If somebody else has changed it since, that is shown, and one chooses, as with a profile. */
export function Edit({ benefit }: { benefit: Benefit }) {
  const { id } = benefit
  const [, setState] = useUrlState()
  const queries = useQueryClient()
  /** The form began with `from`; `seen` is the version that the next attempt builds on. */
  const [{ from, seen }, setBase] = useState({ from: benefit, seen: benefit })
  const [theirs, setTheirs] = useState<Benefit>()
  const close = () => setState({ edit: undefined })

  const send = async ({ changed }: BenefitValues, signal: AbortSignal) => {
    if (Object.keys(changed).length === 0) return close()
    try {
      queries.setQueryData(
        benefitQuery(id).queryKey,
        await banyan.benefits.update(id, changed, { ifMatch: seen, signal }),
      )
    } catch (error) {
      if (!(error instanceof PreconditionFailedError)) throw error
      return setTheirs(await banyan.benefits.read(id))
    }
    notify('The benefit is changed. Policies keep the plan they were enrolled in.')
    close()
    await queries.invalidateQueries({ queryKey: ['benefits'] })
  }
  const buildOn = (base: Benefit, now: Benefit) => {
    setBase({ from: base, seen: now })
    setTheirs(undefined)
  }

  return (
    <BenefitForm
      key={from.last_modified_at.getTime()}
      benefit={from}
      submit="Save"
      send={send}
      cancel={close}
      conflict={
        theirs && (
          <Conflict
            changes={changesOf(seen, theirs)}
            note="Plans are saved together: if you have changed one, yours replace theirs."
            keepMine={() => buildOn(from, theirs)}
            takeTheirs={() => buildOn(theirs, theirs)}
          />
        )
      }
    />
  )
}
