/** Schemas with a component name, by name. */
const named = new Map<string, object>()

export const nameSchema = (name: string, schema: object): unknown => named.set(name, schema)

type SchemaStore = { getSchema: (id: string) => unknown; addSchema: (schema: unknown) => unknown }

/** Makes the named schemas that a route's schema references known to the server. */
export function addNamed(app: SchemaStore, schema: unknown): void {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"\$ref":"([^"#]+)#"/g)) {
    const known = named.get(name)
    if (!known || app.getSchema(name) !== undefined) continue
    app.addSchema(known)
    addNamed(app, known)
  }
}
