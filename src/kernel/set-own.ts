/** Sets a member of an object that has no other ones than its own; to assign to `__proto__` would change its prototype. */
export function setOwn<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, ...AS_ASSIGNED })
  else object[name] = value
}

const AS_ASSIGNED = { writable: true, enumerable: true, configurable: true }
