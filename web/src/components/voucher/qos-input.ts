import type { Template } from '../../../../client/voucher-api.generated.ts'

type Qos = Template['qos']

/** Speeds and data as people type them. Empty: no limit. */
export type QosInput = { downMbps: number | ''; upMbps: number | ''; quotaMb: number | '' }

export const noQos: QosInput = { downMbps: '', upMbps: '', quotaMb: '' }

export function qosInputOf({ down_kbps: down, up_kbps: up, quota_mb: quota }: Qos): QosInput {
  return { downMbps: down / 1000 || '', upMbps: up / 1000 || '', quotaMb: quota || '' }
}

export function qosOf({ downMbps, upMbps, quotaMb }: QosInput): Qos {
  const kbps = (mbps: number | '') => Math.round(Number(mbps) * 1000)
  return { down_kbps: kbps(downMbps), up_kbps: kbps(upMbps), quota_mb: Number(quotaMb) }
}
