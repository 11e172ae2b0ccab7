/** `key` is the same when the message is sent again, for gateways that recognise a repetition. */
type Message = { to: string; text: string; key: string }

/** Sends a text to an E.164 phone number. Throws unless the gateway confirms acceptance. */
export type Sms = { send(message: Message): Promise<void> }
