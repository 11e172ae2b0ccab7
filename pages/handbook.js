// On the pages of the handbook, which can be read without it: copy buttons, and results of the search while somebody types.
{
  /** Returns an element of the page; text stays text. */
  const element = (name, text, attributes = {}) => Object.assign(document.createElement(name), { textContent: text }, attributes)

  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', 'Copy', { type: 'button', className: 'copy' })
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(block.querySelector('code').textContent)
        button.textContent = 'Copied'
      } catch {
        getSelection().selectAllChildren(block.querySelector('code')) // without https, the clipboard is closed to pages
        button.textContent = 'Selected'
      }
    })
    block.append(button)
  }

  const PAUSE_MS = 250 // a search counts, and nobody needs those of half a word
  const form = document.querySelector('[role=search]')
  const input = form.querySelector('input')
  const list = element('ul', '', { className: 'found', hidden: true })
  list.setAttribute('aria-label', 'Results')
  form.append(list)
  let timer

  /** Shows the results for what is in the field now; those of an earlier text are discarded. */
  async function show() {
    const query = input.value.trim()
    if (query.length < 3) return void (list.hidden = true)
    if (list.hidden) list.replaceChildren(element('li', 'Searching…'))
    list.hidden = false
    const response = await fetch(`/docs/search.json?q=${encodeURIComponent(query)}`)
    if (query !== input.value.trim()) return
    if (response.status === 429) return list.replaceChildren(element('li', 'Too many searches. Wait a minute.'))
    if (!response.ok) return void (list.hidden = true)
    const { results } = await response.json()
    const items = results.slice(0, 8).map(({ url, title, page }) => {
      const link = element('a', '', { href: url })
      link.append(element('strong', title), element('span', page))
      const item = element('li', '')
      item.append(link)
      return item
    })
    list.replaceChildren(...(items.length > 0 ? items : [element('li', 'Nothing was found.')]))
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void show().catch(() => (list.hidden = true)), PAUSE_MS)
  })
  form.addEventListener('keydown', (event) => {
    const links = [input, ...list.querySelectorAll('a')]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') list.hidden = true
    if (step === undefined || list.hidden) return
    event.preventDefault()
    links.at((links.indexOf(document.activeElement) + step) % links.length).focus()
  })
  document.addEventListener('click', ({ target }) => {
    if (!form.contains(target)) list.hidden = true
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(?:INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return
    event.preventDefault()
    input.focus()
  })
  document.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
}
