import {
  ActionIcon,
  Checkbox,
  Collapse,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronRight, IconMinus, IconPlus } from '@tabler/icons-react'
import { useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomLimits, InputErrors } from '../../../components/creation/desk-input.ts'
import { UntilField } from '../../../components/voucher/until-field.tsx'
import { durationWords } from '../../../components/voucher/voucher-words.ts'
import classes from '../desk.module.css'
import { fitToLongest } from './fit-to-longest.ts'

const mostDevices = 9999

/** Mantine would replace `aria-describedby`. Its types do not have this option of its fields. */
const ownAria: object = { withAria: false }

type Props = {
  limits: CustomLimits
  errors: InputErrors
  timeZone: string
  /** The longest duration that is allowed; null if there is no limit. */
  longest: number | null
  isLocked: boolean
  onChange: (change: Partial<CustomLimits>) => void
}

/** Duration and devices. Fields that the desk seldom needs are collapsed. */
export function CustomFields({ limits, errors, timeZone, longest, isLocked, onChange }: Props) {
  const { t } = useTranslation()
  const amountId = useId()
  useDurationThatFits({ limits, timeZone, longest, isLocked, onChange })
  const [isOpen, { toggle }] = useDisclosure(
    limits.reference !== '' || Boolean(limits.downMbps || limits.upMbps || limits.quotaMb),
  )
  const number = (value: string | number) => (value === '' ? '' : Number(value))
  const error = (code: InputErrors['amount' | 'until']) =>
    code && t(`desk.wrong-${code}`, { duration: durationWords(t, longest ?? 0) })
  return (
    <fieldset className={classes.limits} disabled={isLocked} aria-label={t('desk.custom')}>
      <Input.Wrapper label={t('desk.valid')} labelElement="div">
        <Group gap="xs" align="flex-start">
          {limits.unit !== 'until' && (
            <NumberInput
              size="md"
              min={1}
              w={96}
              aria-label={t('desk.amount')}
              {...ownAria}
              aria-invalid={Boolean(errors.amount)}
              {...((longest !== null || errors.amount) && { 'aria-describedby': amountId })}
              disabled={isLocked}
              value={limits.amount}
              error={Boolean(errors.amount)}
              onChange={(value) => onChange({ amount: number(value) })}
            />
          )}
          <SegmentedControl
            size="md"
            aria-label={t('desk.unit')}
            disabled={isLocked}
            value={limits.unit}
            onChange={(unit) => onChange({ unit: unit as CustomLimits['unit'] })}
            data={[
              { value: 'hours', label: t('desk.unit-hours') },
              { value: 'days', label: t('desk.unit-days'), disabled: longest !== null && longest < 1440 },
              { value: 'until', label: t('desk.unit-until') },
            ]}
          />
        </Group>
        {limits.unit !== 'until' && errors.amount ? (
          <Input.Error id={amountId} mt={6} fz={13}>
            {error(errors.amount)}
          </Input.Error>
        ) : (
          longest !== null &&
          errors.until !== 'longest' && (
            <Text id={amountId} mt={6} fz={13} c="dimmed">
              {error('longest')}
            </Text>
          )
        )}
      </Input.Wrapper>
      {limits.unit === 'until' && (
        <UntilField
          label={t('desk.until-label')}
          value={limits.until}
          timeZone={timeZone}
          error={error(errors.until)}
          onChange={(until) => onChange({ until })}
        />
      )}
      <DeviceField devices={limits.devices} isLocked={isLocked} onChange={(devices) => onChange({ devices })} />
      <UnstyledButton
        mih={28}
        className={classes.small}
        onClick={toggle}
        aria-expanded={isOpen}
        c="dimmed"
        fz={13.5}
        fw={500}
      >
        <IconChevronRight
          size={16}
          aria-hidden
          style={{ verticalAlign: -3, marginRight: 6, transform: isOpen ? 'rotate(90deg)' : 'none' }}
        />
        {t('desk.more-limits')}
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
          {(['downMbps', 'upMbps', 'quotaMb'] as const).map((name) => (
            <NumberInput
              key={name}
              miw={120}
              size="md"
              label={t(labels[name])}
              placeholder={t('desk.no-limit')}
              min={0}
              allowDecimal={name !== 'quotaMb'}
              decimalScale={3}
              disabled={isLocked}
              value={limits[name]}
              onChange={(value) => onChange({ [name]: number(value) })}
            />
          ))}
        </Group>
        <TextInput
          mt="md"
          size="md"
          label={t('desk.reference')}
          description={t('desk.reference-what')}
          maxLength={255}
          disabled={isLocked}
          value={limits.reference}
          onChange={(event) => onChange({ reference: event.currentTarget.value })}
        />
      </Collapse>
    </fieldset>
  )
}

type DurationProps = Pick<Props, 'limits' | 'timeZone' | 'longest' | 'isLocked' | 'onChange'>

/** A duration that nobody typed, such as that of a template, becomes the longest one that is allowed if it is too long. */
function useDurationThatFits({ limits, timeZone, longest, isLocked, onChange }: DurationProps): void {
  const fitted = useRef<CustomLimits['unit']>(undefined)
  useEffect(() => {
    if (longest === null || isLocked || fitted.current === limits.unit) return
    fitted.current = limits.unit
    const fit = fitToLongest(limits, { longest, timeZone })
    if (fit) onChange(fit)
  })
}

const labels = { downMbps: 'desk.down-label', upMbps: 'desk.up-label', quotaMb: 'desk.quota-label' } as const

type DeviceProps = { devices: number; isLocked: boolean; onChange: (devices: number) => void }

function DeviceField({ devices, isLocked, onChange }: DeviceProps) {
  const { t } = useTranslation()
  const isAny = devices === 0
  const step = (by: number) => onChange(Math.min(mostDevices, Math.max(1, devices + by)))
  return (
    <Input.Wrapper label={t('desk.devices-label')} labelElement="div">
      <Group gap="md">
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            size={44}
            variant="default"
            disabled={isLocked || devices < 2}
            aria-label={t('desk.fewer')}
            onClick={() => step(-1)}
          >
            <IconMinus size={16} />
          </ActionIcon>
          <NumberInput
            size="md"
            min={1}
            w={72}
            aria-label={t('desk.devices-label')}
            max={mostDevices}
            disabled={isLocked || isAny}
            styles={{ input: { textAlign: 'center' } }}
            value={isAny ? '' : devices}
            onChange={(value) => onChange(Number(value) || 1)}
          />
          <ActionIcon
            size={44}
            variant="default"
            disabled={isLocked || isAny}
            aria-label={t('desk.more')}
            onClick={() => step(1)}
          >
            <IconPlus size={16} />
          </ActionIcon>
        </Group>
        <Checkbox
          className={classes.small}
          label={t('desk.any-number')}
          disabled={isLocked}
          checked={isAny}
          onChange={(event) => onChange(event.currentTarget.checked ? 0 : 1)}
        />
      </Group>
    </Input.Wrapper>
  )
}
