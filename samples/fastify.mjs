/** A receiver of webhooks with Fastify, whose other routes keep their parser. */
import Fastify from 'fastify'
import { verify, WebhookVerificationError } from '@banyan/client/webhooks'

const { WEBHOOK_SECRET, PORT = '3000' } = process.env
const app = Fastify()

app.register(async (hooks) => {
  hooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  hooks.post('/hook', async (request, reply) => {
    try {
      const event = await verify(request.body, request.headers, WEBHOOK_SECRET)
      console.log(event.type, event.subject)
      return await reply.code(204).send()
    } catch (error) {
      if (error instanceof WebhookVerificationError) return reply.code(400).send()
      throw error
    }
  })
})
await app.listen({ port: Number(PORT) })
