/** Sets an own property of an object, even `__proto__`, whose assignment would change the prototype. */
export function setOwn<Value>(object: Record<string, Value>, name: string, value: Value): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, ...AS_ASSIGNED })
  else object[name] = value
}

const AS_ASSIGNED = { writable: true, enumerable: true, configurable: true }
