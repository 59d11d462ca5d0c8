import '@mantine/charts/styles.layer.css'
import { BarChart } from '@mantine/charts'
import { Paper, Text } from '@mantine/core'

type Day = { day: string; redeemed: number; open: number }

type Props = {
  data: Day[]
  /** The values of the axis at the left; the last one is its end. */
  ticks: number[]
  /** The days that have a label. */
  dayTicks: string[]
  labelOf: (day: string) => string
  fullLabelOf: (day: string) => string
  numberOf: (value: number) => string
  names: { redeemed: string; open: string }
}

/** One bar per day. This file is the only one that loads the library for charts. */
export function IssuedChart({ data, ticks, dayTicks, labelOf, fullLabelOf, numberOf, names }: Props) {
  const series = [
    { name: 'redeemed', label: names.redeemed, color: 'var(--vs-chart-1)' },
    { name: 'open', label: names.open, color: 'var(--vs-chart-2)' },
  ]
  return (
    <BarChart
      h={236}
      type="stacked"
      data={data}
      dataKey="day"
      series={series}
      gridAxis="x"
      tickLine="none"
      strokeDasharray="0"
      gridColor="var(--vs-line)"
      textColor="var(--mantine-color-dimmed)"
      maxBarWidth={20}
      tooltipAnimationDuration={0}
      barProps={{ isAnimationActive: false }}
      barChartProps={{
        accessibilityLayer: false,
        barCategoryGap: '25%',
        margin: { top: 8, right: 12, bottom: 0, left: 0 },
      }}
      yAxisProps={{ ticks, domain: [0, ticks.at(-1) ?? 'auto'], tickFormatter: numberOf, width: 56, interval: 0 }}
      xAxisProps={{ ticks: dayTicks, tickFormatter: labelOf, interval: 0 }}
      tooltipProps={{
        content: ({ payload }) => <Tip day={payload?.[0]?.payload} {...{ names, numberOf, fullLabelOf }} />,
      }}
    />
  )
}

type TipProps = Pick<Props, 'names' | 'numberOf' | 'fullLabelOf'> & { day: Day | undefined }

/** The numbers of the day under the mouse. */
function Tip({ day, names, numberOf, fullLabelOf }: TipProps) {
  if (!day) return null
  return (
    <Paper withBorder shadow="md" radius="md" px={12} py={8}>
      <Text fz={13} fw={500}>
        {fullLabelOf(day.day)}
      </Text>
      {(['redeemed', 'open'] as const).map((name) => (
        <Text key={name} fz={13} c="dimmed" style={{ display: 'flex', gap: 16, justifyContent: 'space-between' }}>
          <span>{names[name]}</span>
          <span>{numberOf(day[name])}</span>
        </Text>
      ))}
    </Paper>
  )
}
