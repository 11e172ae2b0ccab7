/** Sends a text to a phone in E.164 form. Throws when it is not known to be accepted. */
export type Sms = { send(message: { to: string; text: string }): Promise<void> }
