import type { NewTemplate, Template } from '../../../../../client/voucher-api.generated.ts'
import { noQos, type QosInput, qosInputOf, qosOf } from '../../../components/voucher/qos-input.ts'

const minutesPer = { minutes: 1, hours: 60, days: 1440, weeks: 10_080 } as const

type Unit = keyof typeof minutesPer

export const units = Object.keys(minutesPer) as Unit[]

/** The fields of the form. An empty number means no limit; speeds are in Mbit/s, as the desk has them. */
export type TemplateValues = QosInput & {
  /** Empty: the duration. */
  name: string
  /** The number of a site as text, or `all`. */
  site: string
  amount: number | ''
  unit: Unit
  devices: number | ''
  isAnyDevices: boolean
  unusedDays: number | ''
}

export function formValuesOf(template: Template | undefined, site: string): TemplateValues {
  if (!template)
    return {
      name: '',
      site,
      amount: 1,
      unit: 'days',
      devices: 1,
      isAnyDevices: false,
      ...noQos,
      unusedDays: '',
    }
  const { expire_minutes: minutes, max_uses: devices, qos } = template
  const unit = units.findLast((one) => minutes % minutesPer[one] === 0) ?? 'minutes'
  return {
    name: template.automatic_name ? '' : template.name,
    site,
    amount: minutes / minutesPer[unit],
    unit,
    devices: devices || 1,
    isAnyDevices: devices === 0,
    ...qosInputOf(qos),
    unusedDays: template.unused_days ?? '',
  }
}

/** The limits of the form as the API has them. */
export function limitsOf(values: TemplateValues) {
  return {
    expire_minutes: Number(values.amount) * minutesPer[values.unit],
    max_uses: values.isAnyDevices ? 0 : Number(values.devices),
    qos: qosOf(values),
    unused_days: values.unusedDays === '' ? null : Number(values.unusedDays),
  } satisfies Partial<NewTemplate>
}
