/** Sends a text to an E.164 phone number. Throws unless the gateway confirms acceptance. */
export type Sms = { send(message: { to: string; text: string }): Promise<void> }
