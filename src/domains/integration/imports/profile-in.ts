import type { Cells } from './kind.ts'

const ADDRESS_PARTS = ['line1', 'line2', 'city', 'state', 'country', 'pincode']
const PROFILE = ['phone_country_code', 'phone_number', 'first_name', 'last_name', 'dob', 'gender', 'email']

const some = (cells: Cells, names: readonly string[], prefix = ''): Record<string, string> | undefined => {
  const found = names.flatMap((name) => {
    const cell = cells[prefix + name]
    return cell === undefined ? [] : [[name, cell] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

export function profileIn(cells: Cells): object {
  const { id_proof_number: number } = cells
  return { ...some(cells, PROFILE), ...(number !== undefined && { id_proof: { number } }) }
}

/** One text, or a structured address; both are the two together. */
export function addressIn(cells: Cells): object {
  const { address: raw } = cells
  const parts = some(cells, ADDRESS_PARTS, 'address_')
  if (parts === undefined) return raw === undefined ? {} : { address: raw }
  return { address: raw === undefined ? parts : { ...parts, raw } }
}

/** The dependant of a row, undefined when it has none. */
export const dependantIn = (cells: Cells): object | undefined =>
  some(cells, ['first_name', 'last_name', 'date_of_birth'], 'dependant_')

/** Whether a row enrols everybody. */
export const isFamily = ({ dependant_ids }: Cells): boolean => dependant_ids?.trim().toUpperCase() === 'ALL'

export const listIds = (ids: string | undefined): string[] => (ids ?? '').split(/\s+/).filter((id) => id !== '')

/** The column by which a row names its user. */
export const columnOfUser = ({ user_id, employee_number }: Cells): string =>
  user_id !== undefined ? 'user_id' : employee_number !== undefined ? 'employee_number' : 'phone_number'
