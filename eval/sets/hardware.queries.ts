/** What people type into a hardware shop, and what they mean by it (see judge.ts). */
export const QUERIES = `
# head
drill | drill sds-drill | | impact-driver
drills | drill sds-drill | | impact-driver
drill bit | drill-bit drill-bit-set | | hole-saw
drill bits | drill-bit drill-bit-set | | hole-saw
screws | wood-screw machine-screw drywall-screw decking-screw | | hex-bolt
wood screws | wood-screw | | decking-screw drywall-screw
bolts | hex-bolt coach-bolt | | machine-screw
nuts | nut | | washer
washers | washer | | nut
nails | nail
wall plugs | wall-plug
hammer | hammer
screwdriver | screwdriver screwdriver-set | | bit-set
pliers | pliers
spanner | spanner | | socket-set
jigsaw | jigsaw | | circular-saw
circular saw | circular-saw | | jigsaw
angle grinder | angle-grinder
sander | sander
heat gun | heat-gun
tape measure | tape-measure
spirit level | spirit-level
saw | hand-saw circular-saw jigsaw
chisel | chisel
clamps | clamp
hose | hose
tap | tap
pipe | pipe | | hose
paint | wall-paint wood-paint masonry-paint spray-paint | | primer wood-stain
paint brush | paint-brush | | paint-roller
paint roller | paint-roller | | roller-sleeve paint-brush
ladder | ladder
padlock | padlock
hinges | hinge
door handle | door-handle
light bulb | light-bulb
extension lead | extension-lead | | cable
cable ties | cable-tie
toolbox | toolbox | | tool-bag
work gloves | work-gloves
safety glasses | safety-glasses
ear defenders | ear-defenders
silicone | sealant | | caulk
# accessory
drill bit set | drill-bit-set | | drill-bit bit-set
drill battery | battery | | charger
battery charger | charger | | battery
drill stand | drill-stand
drill case | tool-bag
hose connector | hose-fitting | | spray-gun
hose reel | hose-reel
hose nozzle | spray-gun | | hose-fitting
jigsaw blades | jigsaw-blade | | saw-blade
circular saw blade | saw-blade | | jigsaw-blade
grinder disc | cutting-disc | | sanding-disc
sanding discs | sanding-disc
knife blades | knife-blade
utility knife | utility-knife
screwdriver bits | bit-set | | screwdriver-set
paint tray | paint-tray
roller sleeves | roller-sleeve | | paint-roller
sealant gun | sealant-gun
pipe fittings | pipe-fitting | | ball-valve hose-fitting
threaded rod | threaded-rod
screwdriver set | screwdriver-set | | screwdriver bit-set
# attribute
stainless wood screws 40mm | wood-screw | material=stainless length=40 | decking-screw
wood screws 4x40 | wood-screw | screw=4 length=40 | drywall-screw
5 x 60 wood screws zinc | wood-screw | screw=5 length=60 material=zinc
brass screws | wood-screw machine-screw | material=brass
wood screws 200 pack | wood-screw | pack=200
m6 x 40 bolt | hex-bolt | thread=M6 length=40 | machine-screw
m8 bolts stainless | hex-bolt coach-bolt | thread=M8 material=stainless
m10 hex bolt | hex-bolt | thread=M10
m6 nuts | nut | thread=M6 | washer
m8 washers | washer | thread=M8 | nut
stainless m5 nuts | nut | thread=M5 material=stainless
m4 machine screws | machine-screw | thread=M4
m8 threaded rod | threaded-rod | thread=M8
50mm nails | nail | length=50
8mm wall plugs | wall-plug | hole=8
18v drill | drill | volts=18 | impact-driver
12v drill | drill | volts=12 | impact-driver
cordless drill 18v brushless | drill | volts=18 brushless=yes | impact-driver
drill with battery kit | drill | kit=yes
18v impact driver | impact-driver | volts=18 | drill
18v battery | battery | volts=18 | charger
18v 5ah battery | battery | volts=18 amp=5
12v charger | charger | volts=12
cordless jigsaw | jigsaw | cordless=yes
corded angle grinder | angle-grinder | cordless=no
115mm angle grinder | angle-grinder | blade=115
230mm grinder | angle-grinder | blade=230
cordless circular saw | circular-saw | cordless=yes | jigsaw
8mm drill bit | drill-bit | hole=8 | drill-bit-set
6mm masonry drill bit | drill-bit | hole=6 surface=masonry | drill-bit-set
10mm hss drill bit | drill-bit | hole=10 surface=metal
masonry bit set | drill-bit-set | surface=masonry | drill-bit
drill bits for metal | drill-bit drill-bit-set | surface=metal
drill bits for wood | drill-bit drill-bit-set | surface=wood
68mm hole saw | hole-saw | blade=68
190mm saw blade | saw-blade | blade=190
125mm cutting disc | cutting-disc | blade=125
120 grit sanding discs | sanding-disc | grit=120
80 grit sandpaper | sanding-disc | grit=80
20oz hammer | hammer | ounces=20
13mm spanner | spanner | hole=13
1/2 inch socket set | socket-set | inch=1/2
5m tape measure | tape-measure | metres=5
600mm spirit level | spirit-level | length=600
3/4 hose | hose | inch=3/4
3/4 in hose 25m | hose | inch=3/4 metres=25
30m garden hose | hose | metres=30
brass hose connector 1/2 | hose-fitting | material=brass inch=1/2
3/4 ball valve | ball-valve | inch=3/4
brass ball valve | ball-valve | material=brass
15mm copper pipe | pipe | hole=15 material=copper
22mm elbow | pipe-fitting | hole=22 name=elbow_90_deg,compression_elbow
15mm compression elbow | pipe-fitting | hole=15 name=compression_elbow
push fit tee 15mm | pipe-fitting | hole=15 name=push-fit_tee
white silicone | sealant | colour=white | caulk
white emulsion 10l | wall-paint | colour=white litres=10
white matt emulsion | wall-paint | colour=white finish=matt
grey wall paint | wall-paint | colour=grey | masonry-paint
5 litre white paint | wall-paint masonry-paint wood-paint | colour=white litres=5
black gloss paint | wood-paint | colour=black finish=gloss | spray-paint
masonry paint white | masonry-paint | colour=white
black spray paint | spray-paint | colour=black | wood-paint
oak wood stain | wood-stain | colour=oak
50mm paint brush | paint-brush | wide=50
25mm masking tape | masking-tape | wide=25
10m extension lead | extension-lead | metres=10 | cable
e27 led bulb | light-bulb | cap=E27
300mm cable ties black | cable-tie | length=300 colour=black
combination padlock | padlock | combination=yes
stainless door handle | door-handle | material=stainless
75mm brass hinges | hinge | length=75 material=brass
work gloves xl | work-gloves | size=XL
# brand
brokka drill | drill sds-drill | brand=Brokka | impact-driver
kraftor 18v drill | drill | brand=Kraftor volts=18 | impact-driver
talvin angle grinder | angle-grinder | brand=Talvin
dremond drill bits | drill-bit drill-bit-set | brand=Dremond
hosely hose | hose | brand=Hosely
paintworth emulsion | wall-paint | brand=Paintworth | masonry-paint
talvin | * | brand=Talvin
rainmere | * | brand=Rainmere
colorenne | * | brand=Colorenne
brokka battery | battery | brand=Brokka | charger
oakforge hammer | hammer | brand=Oakforge
# typo
screwdrver | screwdriver screwdriver-set | | bit-set
hamer | hammer
wood srews | wood-screw | | decking-screw drywall-screw
sillicone sealant | sealant | | caulk
emulsoin white | wall-paint | colour=white
cordles drill | drill | | impact-driver
angel grinder | angle-grinder
# synonym
wrench | spanner | | socket-set
carriage bolt | coach-bolt | | hex-bolt
hosepipe | hose
measuring tape | tape-measure
allen keys | hex-keys
zip ties | cable-tie
faucet | tap
sandpaper | sanding-disc
plasterboard screws | drywall-screw
caulking gun | sealant-gun
extension cord | extension-lead
stepladder | ladder
rotary hammer | sds-drill | | drill
goggles | safety-glasses
drop cloth | dust-sheet
# wish
something to hang a shelf on a brick wall | wall-plug bracket | | sds-drill wood-screw
fix a dripping hose | hose-fitting | | thread-tape
paint for the outside walls of the house | masonry-paint
protect my ears from noise | ear-defenders
seal around the bath | sealant | | caulk
screws for decking | decking-screw | | wood-screw
cut a round hole in wood | hole-saw | | drill-bit
`

export const MODELS = `
# model
{brand} {model} | drill | 0
{model} | drill | 4
{model} | drill | 11
{number} | impact-driver | 3
{brand} {model} | angle-grinder | 2
{start} | circular-saw | 5
{model} | sander | 6
{model} | sds-drill | 1
{model} | jigsaw | 4
# accessory
battery for {brand} {model} | drill | $battery | battery
{model} battery | drill | $battery | battery
charger for {model} | drill | $charger | charger
`
