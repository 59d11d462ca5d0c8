/** What has to work before a voucher can be made, in the order in which it is needed. */
export const layers = ['address', 'dns', 'connect', 'tls', 'sign-in', 'permission', 'site', 'hotspot'] as const

export type Layer = (typeof layers)[number]

export type LayerResult = {
  layer: Layer
  result: 'ok' | 'failed' | 'not tried'
  ms: number | null
  /** For the person who waits. Never a secret, never what a controller wrote. */
  detail: string
}

/** What the check of one layer found. */
export type Finding = Pick<LayerResult, 'result' | 'detail'>

export function ok(detail: string): Finding {
  return { result: 'ok', detail }
}

export function failed(detail: string): Finding {
  return { result: 'failed', detail }
}

export function notTried(detail = ''): Finding {
  return { result: 'not tried', detail }
}
