/** The address of the sandbox, as the page says it; undefined in production. */
export const sandboxUrl = (): string | undefined =>
  document.querySelector<HTMLMetaElement>('meta[name=sandbox]')?.content || undefined
