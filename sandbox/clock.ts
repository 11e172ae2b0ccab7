import type { FastifyInstance } from 'fastify'
import type { MovableClock } from '../src/kernel/clock.ts'
import { addMonths, isDay } from '../src/kernel/date.ts'
import type { Company } from './start-page.ts'

const PERIOD = /^P(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?)?$/
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/
const YEAR_MIN = 1900
const YEAR_MAX = 2999

/** Mounts the calendar of policies: `PUT /clock` with `{now}` or `{advance: "P31D"}`, `DELETE /clock` for real time. */
export function clockRoutes(app: FastifyInstance, calendar: MovableClock): Company {
  const state = () => ({ now: calendar.now().toISOString() })

  app.get('/clock', state)

  app.put<{ Body: { now?: string; advance?: string } }>(
    '/clock',
    { schema: { body: bodySchema } },
    (request, reply) => {
      const { now, advance } = request.body
      const time = now === undefined ? addPeriod(calendar.now(), advance ?? '') : parseTime(now)
      const year = time?.getUTCFullYear()
      // Also false for an invalid date, whose year is NaN.
      if (!time || !year || !(year >= YEAR_MIN && year <= YEAR_MAX))
        return reply.code(422).send({ error: INVALID_CLOCK })
      calendar.moveTo(time)
      return reply.send(state())
    },
  )

  app.delete('/clock', () => {
    calendar.moveTo(undefined)
    return state()
  })

  return {
    name: 'Calendar of policies',
    setting: 'none',
    path: '/clock',
    requests: ['PUT /clock {"advance": "P31D"}', 'PUT /clock {"now": "2027-04-01"}', 'DELETE /clock'],
    state,
  }
}

const INVALID_CLOCK = `now must be an ISO 8601 time, advance an ISO 8601 duration such as P31D, and the result must be in the years ${YEAR_MIN} to ${YEAR_MAX}`

const bodySchema = {
  type: 'object',
  additionalProperties: false,
  oneOf: [{ required: ['now'] }, { required: ['advance'] }],
  properties: { now: { type: 'string' }, advance: { type: 'string' } },
}

/** Parses a time as written by the API, in UTC when it has no offset; undefined when it is malformed. */
function parseTime(text: string): Date | undefined {
  const [, day, offset] = TIME.exec(text) ?? []
  if (day === undefined || !isDay(day)) return undefined
  return new Date(text.includes('T') && offset === undefined ? `${text}Z` : text)
}

/**
 * Returns the time a period later; undefined when the period is malformed. A month after the 31st is the last day of a
 * shorter month.
 */
function addPeriod(from: Date, period: string): Date | undefined {
  const match = PERIOD.exec(period)
  if (!match || match.slice(1).every((part) => part === undefined)) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const [day = '', timeOfDay] = from.toISOString().split('T')
  const time = new Date(`${addMonths(day, years * 12 + months)}T${timeOfDay}`)
  return new Date(time.getTime() + ((weeks * 7 + days) * 24 * 60 + hours * 60 + minutes) * 60_000)
}
