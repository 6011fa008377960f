/**
 * Words that shoppers use for one thing, in British and American English: a spelling variant is the same word, a synonym
 * only hints and must rank below the word that was asked for. Everyday retail words, no brands, nothing made for
 * particular queries. A name may be two words; a word may stand in several groups, and groups do not chain.
 */
import { tokenize } from './tokenize.ts'

export type Synonym = {
  /** A term, or two with a space between. */
  term: string
  weight: number
}

export const SPELLING_WEIGHT = 0.95
export const SYNONYM_WEIGHT = 0.4

const SPELLINGS = `
grey, gray
colour, color
aluminium, aluminum
jewellery, jewelry
tyre, tire
fibre, fiber
centre, center
theatre, theater
litre, liter
metre, meter
mould, mold
pyjamas, pajamas
cosy, cozy
moustache, mustache
aeroplane, airplane
doughnut, donut
yoghurt, yogurt
whisky, whiskey
odour, odor
vapour, vapor
flavour, flavor
favourite, favorite
armour, armor
draught, draft
adaptor, adapter
disc, disk
mum, mom
axe, ax
woollen, woolen
dryer, drier
orthopaedic, orthopedic
organiser, organizer
steriliser, sterilizer
sanitiser, sanitizer
moisturiser, moisturizer
fertiliser, fertilizer
equaliser, equalizer
stabiliser, stabilizer
vaporiser, vaporizer
personalised, personalized
customised, customized
barbecue, barbeque, bbq
duffel, duffle
gramme, gram
storey, story
plough, plow
programme, program
t-shirt, tee
e-bike, electric bike, electric bicycle
tv, television, telly
`

const SYNONYMS = `
sofa, couch, settee
wardrobe, armoire, closet
cupboard, cabinet
nightstand, bedside table
footstool, ottoman
bookcase, bookshelf
duvet, comforter, quilt
curtain, drape
rug, carpet
mattress topper, mattress pad
bin, trash can, garbage can, wastebasket
rubbish, trash, garbage
bin bag, trash bag, garbage bag
tap, faucet
hob, cooktop
cooker, stove
fridge, refrigerator
tea towel, dish towel, kitchen towel
washing machine, washer
tumble dryer, clothes dryer
vacuum cleaner, vacuum, hoover, vac
robot vacuum, robot, robo vac, robovac
cookware, pots, pans, saucepans, pots and pans
cutlery, silverware, flatware
crockery, dinnerware, tableware
frying pan, skillet, frypan
baking tray, baking sheet, cookie sheet
cling film, plastic wrap
tin opener, can opener
worktop, countertop
blender, liquidiser
coffee maker, coffee machine
grill, barbecue
vacuum flask, insulated bottle
water bottle, drinks bottle
lunch box, bento box
kitchen scale, food scale
heater, radiator
fan, ventilator
air conditioner, air conditioning
torch, flashlight
light bulb, lamp bulb
pram, stroller, pushchair, buggy
nappy, diaper
dummy, pacifier, soother
cot, crib
baby, infant, newborn
kid, child
toddler, kid, child
high chair, feeding chair
trousers, pants, slacks
jumper, sweater, pullover
hoodie, hooded sweatshirt
waistcoat, vest
tank top, singlet
trainers, sneakers
wellies, rain boots, rubber boots
slippers, house shoes
dressing gown, bathrobe, robe
nightgown, nightdress, nightie
knickers, panties, underwear
tights, pantyhose
swimsuit, bathing suit, swimwear
raincoat, rain jacket
anorak, parka
handbag, purse
spectacles, eyeglasses
sunglasses, shades
beanie, knit hat
men, gents
women, ladies
backpack, rucksack, knapsack
suitcase, luggage
carry-on, cabin bag, hand luggage
duffel, holdall, gym bag
bum bag, fanny pack, waist pack, belt bag
laptop, notebook computer, notebook
mobile phone, cell phone, cellphone, smartphone, mobile
headphones, headset
smartwatch, smart watch, watch
earphones, earbuds, in-ear
headphones, earphones
wifi, wireless network, wireless internet
charger, power adapter
power bank, portable charger, battery pack
memory stick, flash drive, thumb drive, usb stick
hard drive, hard disk
monitor, computer screen, computer display
desktop computer, pc
webcam, web camera
camcorder, video camera
speaker, loudspeaker
microphone, mic
fitness tracker, activity tracker, fitness band
satnav, gps navigator
extension lead, extension cord, power strip
socket, outlet
cable, cord, lead
phone case, phone cover
screen protector, screen guard
remote, remote control
lawnmower, grass cutter
hosepipe, garden hose, hose
secateurs, pruning shears, pruner
strimmer, string trimmer, weed trimmer
spanner, wrench
tape measure, measuring tape
sticky tape, adhesive tape
glue, adhesive
spirit level, bubble level
hex key, allen key
utility knife, box cutter
windscreen, windshield
number plate, license plate
petrol, gasoline
car, auto, automobile, vehicle
motorbike, motorcycle
bike, bicycle
caravan, travel trailer
football, soccer
dumbbell, hand weight, free weight
treadmill, running machine
exercise bike, stationary bike
exercise mat, yoga mat
cool box, cooler, ice chest
walking pole, trekking pole, hiking pole
walking boots, hiking boots
skipping rope, jump rope
fishing rod, fishing pole
hair dryer, blow dryer
straightener, flat iron
razor, shaver
sunscreen, sun cream, sunblock
plaster, bandage
nail varnish, nail polish
perfume, fragrance, cologne
makeup, cosmetics
shower gel, body wash
cotton bud, cotton swab
moisturiser, lotion
painkiller, pain reliever
jigsaw, puzzle
soft toy, plush toy, stuffed animal, cuddly toy
biro, ballpoint
rubber, eraser
drawing pin, thumbtack, push pin
diary, planner
notepad, notebook
letterbox, mailbox
wrapping paper, gift wrap
lead, leash
litter tray, litter box
kennel, dog house
aquarium, fish tank
sweets, candy
crisps, chips
biscuit, cookie
cheap, inexpensive, affordable, budget
compact, small, mini
large, big
quiet, silent, noiseless
light, lightweight
waterproof, water resistant
cordless, wireless, battery powered
foldable, folding, collapsible
gift, present
wooden, wood, timber
comfy, comfortable
fast, quick, rapid
sturdy, durable, robust, heavy duty
unscented, fragrance free
anti slip, non slip
`

const table = new Map<string, Synonym[]>()
addGroups(SPELLINGS, SPELLING_WEIGHT)
addGroups(SYNONYMS, SYNONYM_WEIGHT)

/** What else a term is called; also asked with two terms and a space between. */
export function synonymsOf(term: string): readonly Synonym[] {
  return table.get(term) ?? []
}

function addGroups(lines: string, weight: number): void {
  for (const line of lines.trim().split('\n')) {
    const names = new Set(line.split(',').flatMap(termsOf))
    for (const name of names) for (const other of names) if (name !== other) addOnce(name, other, weight)
  }
}

function addOnce(name: string, term: string, weight: number): void {
  const known = table.get(name) ?? []
  table.set(name, known)
  if (!known.some((synonym) => synonym.term === term)) known.push({ term, weight })
}

/** Its words, and what they are when written as one: "e bike" and "ebike". */
function termsOf(name: string): string[] {
  const tokens = tokenize(name)
  const said = (kind: 'word' | 'joined') =>
    tokens.flatMap((token) => (token.kind === kind ? [token.term] : [])).join(' ')
  return [said('word'), said('joined')].filter(Boolean)
}
