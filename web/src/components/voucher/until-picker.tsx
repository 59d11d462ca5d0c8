import '@mantine/dates/styles.layer.css'
import 'dayjs/locale/de'
import { DatesProvider, DateTimePicker } from '@mantine/dates'
import { useTranslation } from 'react-i18next'
import { useLayout } from '../../hooks/use-layout.ts'
import { toWallTime, type WallTime } from './zoned-time.ts'

export type UntilPickerProps = {
  label: string
  value: WallTime
  timeZone: string
  error?: string | undefined
  onChange: (value: WallTime) => void
}

/** A date and a time in the time zone of the site. `UntilField` loads it when it is needed. */
export function UntilPicker({ value, timeZone, onChange, ...props }: UntilPickerProps) {
  const { i18n, t } = useTranslation()
  const isPhone = useLayout() === 'phone'
  const [earlier, later] = [t('desk.previous'), t('desk.next')]
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 1, weekendDays: [] }}>
      <DateTimePicker
        {...props}
        size="md"
        description={t('desk.site-time', { timeZone })}
        value={value}
        minDate={toWallTime(new Date(), timeZone).slice(0, 10)}
        valueFormat={t('desk.date-format')}
        dropdownType={isPhone ? 'modal' : 'popover'}
        onChange={(next) => next && onChange(next)}
        ariaLabels={{
          previousMonth: earlier,
          nextMonth: later,
          previousYear: earlier,
          nextYear: later,
          previousDecade: earlier,
          nextDecade: later,
        }}
        submitButtonProps={{ 'aria-label': t('desk.take-time') }}
        timePickerProps={{ withDropdown: true, minutesStep: 15, popoverProps: { withinPortal: false } }}
        modalProps={{ title: props.label, closeButtonProps: { 'aria-label': t('actions.close') } }}
      />
    </DatesProvider>
  )
}
