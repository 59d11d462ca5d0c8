import { SegmentedControl, type SegmentedControlProps, Text } from '@mantine/core'
import { useId } from 'react'

type Props<Value extends string> = Omit<SegmentedControlProps, 'data' | 'value' | 'onChange'> & {
  label: string
  help?: string
  data: { value: Value; label: string }[]
  value: Value
  onChange: (value: Value) => void
}

/** A few choices beside each other, with a label above and help below. */
export function ChoiceField<Value extends string>({ label, help, onChange, ...control }: Props<Value>) {
  const id = useId()
  return (
    <div>
      <Text fz="sm" fw={500} mb={6} id={id}>
        {label}
      </Text>
      <SegmentedControl fullWidth aria-labelledby={id} onChange={(value) => onChange(value as Value)} {...control} />
      {help && (
        <Text fz="xs" c="dimmed" mt={5}>
          {help}
        </Text>
      )}
    </div>
  )
}
