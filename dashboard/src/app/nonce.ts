/** The nonce of this response, by which the content policy allows the styles that scripts add. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

// Where the libraries of Mantine look for it. Imported before them.
Object.assign(globalThis, { __webpack_nonce__: nonce })
