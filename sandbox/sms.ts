import type { FastifyInstance } from 'fastify'
import type { Company } from './start-page.ts'

const MESSAGES_MAX = 10_000

type Message = { to: string; text: string; sent_at: string; key?: string | undefined }

const shown = ({ to, text, sent_at }: Message) => ({ to, text, sent_at })

/** Mounts a gateway that delivers nothing and shows everything: `GET /sms/messages?to=+91…`, newest last. */
export function smsRoutes(app: FastifyInstance): Company {
  const messages: Message[] = []

  app.post<{ Body: { to: string; text: string } }>(
    '/sms/messages',
    {
      schema: {
        body: {
          type: 'object',
          required: ['to', 'text'],
          properties: { to: { type: 'string', pattern: '^\\+[0-9]{5,15}$' }, text: { type: 'string', minLength: 1 } },
        },
      },
    },
    async (request, reply) => {
      const key = request.headers['idempotency-key']?.toString()
      const earlier = messages.find((message) => key !== undefined && message.key === key)
      if (earlier) return reply.code(200).send(shown(earlier))
      const message = { ...request.body, sent_at: new Date().toISOString(), key }
      messages.push(message)
      if (messages.length > MESSAGES_MAX) messages.shift()
      return reply.code(201).send(shown(message))
    },
  )

  app.get<{ Querystring: { to?: string } }>('/sms/messages', ({ query }) => {
    // A plus that was not percent-encoded arrives as a blank.
    const to = query.to?.replace(/^ /, '+')
    return { messages: messages.filter((message) => to === undefined || message.to === to).map(shown) }
  })

  return {
    name: 'SMS gateway',
    setting: 'SMS_GATEWAY',
    path: '/sms',
    requests: ['GET /sms/messages?to=+91…'],
    state: () => ({ messages: messages.length }),
  }
}
