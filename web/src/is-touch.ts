/** Whether the screen is touched. Then no field gets the focus by itself, because the focus would open the keyboard. */
export const isTouch = () => matchMedia('(pointer: coarse)').matches
