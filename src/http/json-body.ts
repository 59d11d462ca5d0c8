/**
 * What a body says, whatever its Content-Type; throws when it is no JSON text. Half a surrogate pair is no text, so the
 * whole body is not. A member `__proto__` is a member like any other, or dropped.
 */
export function readJson(bytes: Buffer, { dropsProto = false } = {}): unknown {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  return JSON.parse(text, (key, value) => {
    if (!key.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
      throw new SyntaxError('lone surrogate')
    return dropsProto && key === '__proto__' ? undefined : value
  })
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
