import { Type } from 'typebox'
import { IndefiniteResponse } from '../../../kernel/outbound/measured-call.ts'
import { responseCheck } from '../../../kernel/outbound/response-check.ts'

/** Gateways also accept a request and report in the body that the message was refused. */
const isMessage = responseCheck(
  Type.Object({
    status: Type.Optional(Type.Unsafe({ not: { enum: ['failed', 'undelivered', 'canceled'] } })),
    error_code: Type.Optional(Type.Unsafe({ enum: [null] })),
  }),
)

/** Throws `IndefiniteResponse` unless the body of a 2xx is that of a message on its way. */
export function checkMessage({ body }: { body: unknown }): void {
  if (!isMessage(body)) throw new IndefiniteResponse('the SMS gateway accepted the request, but not the message')
}
