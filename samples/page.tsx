/**
 * A page in React: the policies of the person who is logged in at your site, and their email address. It calls from the browser, with the token of
 * a user; its origin has to be one of the platform's `web_origins`.
 */
import { type FormEvent, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Banyan, type InsurancePolicy, ResponseError, type User, userId, ValidationError } from '@banyan/client'

/** Yours: your server knows who is logged in, and requests a token for them (`POST /v1/auth/token`). */
async function ask(path: string): Promise<string> {
  const response = await fetch(path, { method: 'POST' })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.text()
}

const session = JSON.parse(await ask('/session')) as { user_id: string; service: string }
const banyan = new Banyan({ accessToken: () => ask('/token'), baseUrl: session.service })
const person = banyan.user(userId(session.user_id))

/** A sentence for people; `requestId` finds the request in the log of the service. */
function wordsFor(error: unknown): string {
  if (error instanceof ValidationError) return 'This is not an email address.'
  if (error instanceof ResponseError) return `This does not work at present (${error.requestId}).`
  return 'The service cannot be reached at present.'
}

function Email({ user, onChange }: { user: User; onChange: (user: User) => void }) {
  const [problem, setProblem] = useState('')
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const email = new FormData(event.currentTarget).get('email') as string
    try {
      onChange(await person.update({ email }, { ifMatch: user })) // not over a change that this page has not seen
      setProblem('')
    } catch (error) {
      setProblem(wordsFor(error))
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <input name="email" aria-label="Email" defaultValue={user.email ?? ''} />
      <button>Change</button> <output>{problem || user.email}</output>
    </form>
  )
}

function Page() {
  const [user, setUser] = useState<User>()
  const [policies, setPolicies] = useState<readonly InsurancePolicy[]>([])
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    Promise.all([person.read({ signal }), person.policies.list({}, { signal }).all(50)])
      .then(([read, listed]) => {
        setUser(read)
        setPolicies(listed)
      })
      .catch((error: unknown) => signal.aborted || setProblem(wordsFor(error)))
    return () => ended.abort()
  }, [])
  if (problem) return <p role="alert">{problem}</p>
  return (
    <main>
      <h1>Your policies</h1>
      <ul>
        {policies.map(({ id, plan_code, end_date }) => (
          <li key={id}>
            {plan_code} until {String(end_date)}
          </li>
        ))}
      </ul>
      {user && <Email user={user} onChange={setUser} />}
    </main>
  )
}

createRoot(document.body.appendChild(document.createElement('div'))).render(<Page />)
