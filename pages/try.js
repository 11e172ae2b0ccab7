// On /docs/try: the operations of the document, to be tried.
{
  /** An empty JSON object where an operation takes no body: a request with the cookie of a session must be JSON. */
  const withBody = (request) => {
    const isBare = ['POST', 'PUT', 'PATCH'].includes(request.method ?? '') && request.body === undefined
    if (isBare) Object.assign(request, { body: '{}', headers: { ...request.headers, 'Content-Type': 'application/json' } })
    return request
  }

  globalThis.SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#swagger-ui',
    presets: [globalThis.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    docExpansion: 'none',
    deepLinking: true,
    persistAuthorization: false, // a secret that was entered would stay in the browser's storage
    validatorUrl: null,
    requestInterceptor: withBody,
  })
}
