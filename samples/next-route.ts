/** A route's handler of Next.js: `app/api/policies/route.ts`. The basic_token stays on your server; the page gets what it may see. */
import { Banyan, ResponseError, userId } from '@banyan/client'

const banyan = new Banyan({ basicToken: process.env['BASIC_TOKEN'], baseUrl: process.env['BANYAN_URL'] })

/** Yours: who is logged in at your site. */
const userOf = (request: Request): string | null => request.headers.get('x-session-user')

export async function GET(request: Request): Promise<Response> {
  const user = userOf(request)
  if (user === null) return new Response(null, { status: 401 })
  try {
    const policies = await banyan
      .user(userId(user))
      .policies.list({ status: ['ISSUED'] }, { timeout: 5_000 })
      .all(50)
    return Response.json(policies.map(({ id, plan_code, end_date }) => ({ id, plan_code, end_date })))
  } catch (error) {
    if (error instanceof ResponseError && error.status === 404) return new Response(null, { status: 404 })
    throw error
  }
}
