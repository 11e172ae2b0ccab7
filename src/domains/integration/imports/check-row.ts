import type { OnBehalf, SingleCall, SingleCalls } from '../../../record/index.ts'
import { type FieldError, ProblemError } from '../../../kernel/problem-error.ts'
import { cellErrors } from './cell-errors.ts'
import type { FileRow, RowError } from './file-row.ts'
import type { Cells, Ids, Kind, Step } from './kind.ts'

/** What became of a row. */
type RowResult = { ids: Ids } | { rowErrors: RowError[] }

export type RowContext = { calls: SingleCalls; of: OnBehalf; kind: Kind; importId: string }

/** Nobody has this id; it stands for that of a user who does not exist yet. */
const NOBODY = '000000000000'

/** Checks a row as its calls would, and writes nothing. Finds every error that can be found without writing. */
export async function checkRow(context: RowContext, row: FileRow): Promise<RowError[]> {
  const { kind } = context
  const rowErrors = [...(row.rowErrors ?? []), ...cellErrors(row.cells, kind.columns)]
  const isUnread = Object.keys(row.cells).length === 0
  if (rowErrors.length > 0 && isUnread) return rowErrors
  const inputs = rowErrors.length > 0 ? inputErrors(context, row.cells, kind.steps) : undefined
  if (inputs) return merged(rowErrors, inputs)
  const ids = idsIn(row.cells)
  const steps = stepsOf(kind, row.cells)
  for (const [index, step] of steps.entries()) {
    const failed = await failure(() => take(step, row.cells, ids, (call) => context.calls.check(context.of, call)))
    if (failed === undefined) continue
    // The user is missing as long as the row has not made it; the input can be checked without.
    if (step.isOfNewUser && failed.code === 'not_found') return inputErrors(context, row.cells, steps.slice(index))
    return merged(toRowErrors(failed, step, row.cells), inputErrors(context, row.cells, steps.slice(index + 1)))
  }
  return []
}

/** Makes the calls of a row. */
export async function writeRow({ calls, of, kind, importId }: RowContext, row: FileRow): Promise<RowResult> {
  const ids = idsIn(row.cells)
  for (const [index, step] of stepsOf(kind, row.cells).entries()) {
    // Made of the import, which is that of the file: after a kill the row is called again, and gets the response of the first time.
    const key = step.isKeyed ? `${importId}.${row.number}.${index}` : undefined
    const send = (call: SingleCall) => calls.call(of, { ...call, ...(key !== undefined && { key }) })
    const failed = await failure(() => take(step, row.cells, ids, send))
    if (failed) return { rowErrors: toRowErrors(failed, step, row.cells) }
  }
  return { ids }
}

/** What a row names itself. */
const idsIn = ({ user_id }: Cells): Ids => (user_id === undefined ? {} : { user_id })

const stepsOf = ({ steps }: Kind, cells: Cells) => steps.filter(({ when = () => true }) => when(cells))

async function take(step: Step, cells: Cells, ids: Ids, send: (call: SingleCall) => Promise<unknown>): Promise<void> {
  const response = await send({ address: step.address, ...step.input(cells, ids) })
  const taken = step.take(response as never, cells)
  if (!taken) throw new ProblemError('not_found', NOT_FOUND)
  Object.assign(ids, taken)
}

const NOT_FOUND = 'Nothing of the platform has this, or more than one.'

/** What says nothing about the row: the whole chunk is worked through again. */
const TRANSIENT = ['unavailable', 'idempotency_in_progress']

/** Returns why a call failed; undefined when it has not. Throws when it may succeed soon, or is a defect of the program. */
async function failure(call: () => Promise<void>): Promise<ProblemError | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    if (error instanceof ProblemError && !TRANSIENT.includes(error.code)) return error
    throw error
  }
}

/** The errors of the input of calls, as far as they do not depend on what is stored. */
function inputErrors({ calls, of }: RowContext, cells: Cells, steps: readonly Step[]): RowError[] {
  const ids: Ids = { user_id: cells['user_id'] ?? NOBODY, insurance_policy_id: NOBODY }
  return steps
    .filter(({ when = () => true }) => when(cells))
    .flatMap((step) => {
      try {
        const errors = calls.errorsIn(of, { address: step.address, ...step.input(cells, ids) })
        return errors.map((error) => toRowError(error, step, cells))
      } catch (error) {
        if (error instanceof ProblemError) return toRowErrors(error, step, cells)
        throw error
      }
    })
}

/** One error for each column and code: the first has most to say. */
function merged(rowErrors: readonly RowError[], others: readonly RowError[]): RowError[] {
  const columns = new Set(rowErrors.flatMap(({ column }) => column ?? []))
  const all = [...rowErrors, ...others.filter(({ column }) => column === null || !columns.has(column))]
  return [...new Map(all.map((one) => [`${one.column} ${one.code}`, one])).values()]
}

function toRowErrors(problem: ProblemError, step: Step, cells: Cells): RowError[] {
  const { errors, members, code, detail } = problem
  if (errors && errors.length > 0) return errors.map((error) => toRowError(error, step, cells))
  const reason = typeof members['reason'] === 'string' ? members['reason'] : code
  const [recordId] = Array.isArray(members['existing_ids']) ? (members['existing_ids'] as string[]) : []
  const column = (code === 'not_found' && step.owner?.(cells)) || step.column(cells)
  return [{ column, code: reason, detail, ...(recordId !== undefined && { recordId }) }]
}

const toRowError = ({ pointer, code, detail }: FieldError, step: Step, cells: Cells): RowError => ({
  column: findColumn(pointer, step, cells),
  code,
  detail,
})

/** Returns the column of a member of the input. */
function findColumn(pointer: string, { columns = {}, column }: Step, cells: Cells): string {
  const named = Object.keys(columns).find((start) => pointer === start || pointer.startsWith(`${start}/`))
  if (named !== undefined) return columns[named] as string
  const name = /^(?:\/|path:|query:)([^/]+)/.exec(pointer)?.[1]
  return name ?? column(cells)
}
