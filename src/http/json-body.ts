/** What a body says, whatever its Content-Type; throws when it is no JSON text. */
export function readJson(bytes: Buffer): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), readMember)
}

/** Drops `__proto__`; half a surrogate pair is no text, so the whole body is not. */
function readMember(this: unknown, key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
    throw new SyntaxError('lone surrogate')
  return key === '__proto__' ? undefined : value
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
