/** A receiver of webhooks with Express: verified, each event once, and the work after the response. */
import express from 'express'
import { verify, WebhookVerificationError } from '@banyan/client/webhooks'

const { WEBHOOK_SECRET, WEBHOOK_SECRET_BEFORE, PORT = '3000' } = process.env
const seen = new Set() // in your database: an event can come twice
const app = express()

app.post('/hook', express.raw({ type: '*/*' }), async (request, response) => {
  try {
    const event = await verify(request.body, request.headers, [WEBHOOK_SECRET, WEBHOOK_SECRET_BEFORE])
    response.sendStatus(204)
    if (seen.has(event.id)) return
    seen.add(event.id)
    console.log(event.type, event.subject)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    response.sendStatus(400)
  }
})
app.listen(Number(PORT))
