export const faultKinds = [
  'refuse',
  'unauthorized',
  'forbidden',
  'not-found',
  'too-many',
  'server-error',
  'gateway-html',
  'gateway-timeout',
  'unavailable',
  'html-ok',
  'empty',
  'no-code',
  'bad-code',
  'truncated',
  'created-then-reset',
  'created-then-error',
  'reset',
  'hang-before',
  'hang-after',
  'slow',
  'slow-drip',
  'huge',
  'extra-fields',
  'deep',
] as const

export type FaultKind = (typeof faultKinds)[number]

export const faultTargets = ['create', 'list', 'delete', 'login', 'any'] as const

type FaultTarget = (typeof faultTargets)[number]

/** `times` is how often it still happens; `delayMs` passes before the answer, its bytes or the cut. */
export type Fault = { on: FaultTarget; kind: FaultKind; times: number; delayMs: number }

/** What a request does; `other` is met only by faults on `any`. */
export type Operation = 'create' | 'list' | 'delete' | 'login' | 'other'
