export type Request = { method: string; path: string; headers: Record<string, string>; body?: string }

export async function ask(url: string, { path, ...request }: Request) {
  const response = await fetch(url + path, request)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

type Call = { method?: string; path: string; authorization: string; body?: object }

/** Returns the JSON of the response; throws for anything but a success. */
export async function call<T = { id: string }>(url: string, { method = 'POST', path, authorization, body }: Call) {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
  const request = { method, path, headers, ...(body && { body: JSON.stringify(body) }) }
  const { status, text } = await ask(url, request)
  if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`)
  return JSON.parse(text) as T
}
