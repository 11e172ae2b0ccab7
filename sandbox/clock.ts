import type { FastifyInstance } from 'fastify'
import type { MovableClock } from '../src/kernel/clock.ts'

const PERIOD = /^P(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?)?$/

/** The calendar that policies live by: `PUT /clock` with `{now}` or `{advance: "P31D"}`, `DELETE /clock` for real time. */
export function clockRoutes(app: FastifyInstance, calendar: MovableClock): void {
  const state = () => ({ now: calendar.now().toISOString() })

  app.get('/clock', state)

  app.put<{ Body: { now?: string; advance?: string } }>(
    '/clock',
    { schema: { body: bodySchema } },
    (request, reply) => {
      const { now, advance } = request.body
      const time = now === undefined ? later(calendar.now(), advance ?? '') : new Date(now)
      if (!time || Number.isNaN(time.getTime())) {
        return reply.code(422).send({ error: 'now must be an ISO 8601 time, advance an ISO 8601 period such as P31D' })
      }
      calendar.moveTo(time)
      return reply.send(state())
    },
  )

  app.delete('/clock', () => {
    calendar.moveTo(undefined)
    return state()
  })
}

const bodySchema = {
  type: 'object',
  additionalProperties: false,
  oneOf: [{ required: ['now'] }, { required: ['advance'] }],
  properties: { now: { type: 'string' }, advance: { type: 'string' } },
}

/** The time a period later; undefined when the text is not a period. */
function later(from: Date, period: string): Date | undefined {
  const match = PERIOD.exec(period)
  if (!match || match.slice(1).every((part) => part === undefined)) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const time = new Date(from)
  time.setUTCMonth(time.getUTCMonth() + years * 12 + months)
  return new Date(time.getTime() + ((weeks * 7 + days) * 24 * 60 + hours * 60 + minutes) * 60_000)
}
