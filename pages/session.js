// On /docs/try: who is logged in, and the way in and out. The operations tried there go with the cookie of the session.
{
  const PAGE = '/docs/try'
  /** To which the identity provider leads back, as registered there. */
  const AFTER_LOGOUT = '/docs'
  const bar = document.createElement('header')
  bar.id = 'session'
  bar.setAttribute('aria-label', 'Your session')

  /** Returns an element of the page; text stays text. */
  const element = (name, text, attributes = {}) => Object.assign(document.createElement(name), { textContent: text }, attributes)

  const logIn = () =>
    element('a', 'Log in as an administrator', { href: `/v1/auth/oidc/login?return_to=${encodeURIComponent(PAGE)}` })

  let isLoggedIn = false

  /**
   * Runs when somebody comes to the page, never by a timer, which would prolong the session. Loads the page anew when the
   * session has ended: what was shown goes with it.
   */
  async function show() {
    const response = await fetch('/v1/auth/session')
    if (response.status === 401) return isLoggedIn ? location.reload() : bar.replaceChildren(logIn())
    if (!response.ok) return bar.replaceChildren(element('span', 'Your session is temporarily unavailable.'))
    const { name, role } = await response.json()
    isLoggedIn = true
    const out = element('button', 'Log out', { type: 'button' })
    out.addEventListener('click', () => safely(logOut))
    bar.replaceChildren(element('span', `${name ?? 'Logged in'} (${role})`), out)
  }

  /** Here, and then at the identity provider, which leads back. */
  async function logOut() {
    const response = await fetch('/v1/auth/logout', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ return_to: AFTER_LOGOUT }),
    })
    const { end_session_url: there } = response.ok ? await response.json() : {}
    location.assign(there ?? AFTER_LOGOUT)
  }

  const safely = (work) =>
    void work().catch(() => bar.replaceChildren(element('span', 'The server is unreachable.')))

  const page = element('div', '', { id: 'session-bar' })
  page.append(element('a', 'Handbook', { href: '/docs' }), bar)
  document.body.prepend(page)
  addEventListener('focus', () => safely(show))
  safely(show)
}
