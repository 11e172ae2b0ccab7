/** The sandbox companies' own records. */

async function ask<T>(url: string): Promise<T> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} returned ${response.status}`)
  return (await response.json()) as T
}

type Messages = { messages: { to: string; text: string }[] }

/** The texts sent to a phone, newest last. */
export async function messagesTo(sandboxUrl: string, phone: string): Promise<string[]> {
  const { messages } = await ask<Messages>(`${sandboxUrl}/sms/messages?to=${encodeURIComponent(phone)}`)
  return messages.map(({ text }) => text)
}

/** The number of different texts sent to each phone; one sent twice counts once. */
export async function countMessages(sandboxUrl: string): Promise<Map<string, number>> {
  const { messages } = await ask<Messages>(`${sandboxUrl}/sms/messages`)
  const texts = new Map<string, Set<string>>()
  for (const { to, text } of messages) texts.set(to, (texts.get(to) ?? new Set()).add(text))
  return new Map([...texts].map(([to, { size }]) => [to, size]))
}

type Held = { reference: string }

/** The references of the operator's wallets. */
export const walletsHeld = async (sandboxUrl: string): Promise<string[]> =>
  (await ask<{ wallets: Held[] }>(`${sandboxUrl}/operator/wallets`)).wallets.map(({ reference }) => reference)

/** The references of the accounts that the bank has opened. */
export const accountsHeld = async (sandboxUrl: string): Promise<string[]> =>
  (await ask<{ accounts: Held[] }>(`${sandboxUrl}/account_provider/accounts`)).accounts.map(
    ({ reference }) => reference,
  )
