/** What people type into a clothing shop, and what they mean by it (see judge.ts). */
export const QUERIES = `
# head
shirt | shirt | | polo tshirt blouse
shirts | shirt | | polo tshirt blouse
t-shirt | tshirt | | tank-top polo
t shirts | tshirt | | tank-top polo
jeans | jeans | | trousers
dress | dress | | skirt
dresses | dress | | skirt
skirt | skirt | | dress
sweater | sweater | | cardigan sweatshirt
cardigan | cardigan | | sweater
hoodie | hoodie | | sweatshirt
jacket | jacket rain-jacket down-jacket | | coat blazer gilet
coat | coat | | jacket rain-jacket down-jacket
suit | suit | | blazer
blazer | blazer | | suit
shorts | shorts | | swim-shorts
leggings | leggings | | joggers tights
socks | socks | | tights
boots | boots hiking-boots
sneakers | sneakers | | running-shoes
shoes | sneakers running-shoes boots loafers heels hiking-boots | | sandals slippers
sandals | sandals | | slippers
heels | heels
loafers | loafers
slippers | slippers | | sandals
hat | hat | | cap beanie
beanie | beanie | | hat cap
scarf | scarf
gloves | gloves
belt | belt | | suspenders
tie | tie | | bow-tie
handbag | handbag | | backpack
backpack | backpack | | handbag
wallet | wallet
sunglasses | sunglasses
umbrella | umbrella
pyjamas | pyjamas | | robe
bra | bra
swimsuit | swimsuit
# accessory
shoe laces | shoelaces
boot laces | shoelaces
shoe polish | shoe-polish | | waterproofer
shoe tree | shoe-tree
bomber jacket | jacket | name=bomber_jacket
insoles for running shoes | insoles
coat hangers | hangers
suit bag | garment-bag
dress cover | garment-bag
sunglasses case | glasses-case
bra wash bag | wash-bag
waterproofing spray for boots | waterproofer | | shoe-polish
lint roller | lint-roller
sweater shaver | fabric-shaver | | lint-roller
bow tie | bow-tie | | tie
tote bag | handbag | name=tote_bag | backpack
shirt dress | dress | name=shirt_dress
# attribute
navy linen shirt | shirt | colour=navy material=linen | blouse
white shirt | shirt | colour=white | blouse
linen shirt | shirt | material=linen
mens white shirt | shirt | gender=men,unisex colour=white
short sleeve shirt | shirt | sleeve=short | polo
slim fit shirt men | shirt | fit=slim gender=men,unisex
flannel shirt | shirt | material=flannel
black t-shirt | tshirt | colour=black | tank-top
womens t shirt | tshirt | gender=women,unisex | tank-top
long sleeve t-shirt | tshirt | sleeve=long
organic cotton tee | tshirt | material=organic_cotton
kids hoodie | hoodie | gender=kids | sweatshirt
grey zip hoodie | hoodie | colour=grey zip=yes
silk blouse | blouse | material=silk | shirt
cashmere sweater | sweater | material=cashmere | cardigan
merino jumper men | sweater | material=merino gender=men,unisex
wool cardigan womens | cardigan | material=wool,merino gender=women
black skinny jeans | jeans | colour=black fit=slim
wide leg jeans women | jeans | fit=wide gender=women
beige chinos | trousers | colour=beige name=chinos
wool trousers | trousers | material=wool
linen trousers women | trousers | material=linen gender=women
black leggings | leggings | colour=black
high waist leggings | leggings | highWaist=yes
mens shorts | shorts | gender=men,unisex
leather skirt | skirt | material=leather
midi skirt | skirt | length=midi | dress
red dress | dress | colour=red | skirt
black maxi dress | dress | colour=black length=maxi
linen dress | dress | material=linen
navy suit | suit | colour=navy | blazer
slim fit suit | suit | fit=slim
grey wool blazer | blazer | colour=grey material=wool
leather jacket | jacket | material=leather
mens leather jacket | jacket | material=leather gender=men,unisex
denim jacket | jacket | material=denim
womens wool coat | coat | gender=women material=wool
camel coat | coat | colour=beige
rain jacket with hood | rain-jacket | hood=yes
kids raincoat | rain-jacket | gender=kids
womens puffer jacket | down-jacket | gender=women,unisex | gilet
black puffer | down-jacket | colour=black | gilet
silk pyjamas | pyjamas | material=silk | robe
cotton boxers | boxers | material=cotton
sports bra | bra | sports=yes
merino socks | socks | material=merino
kids socks | socks | gender=kids
black tights | tights | colour=black | leggings
womens running shoes | running-shoes | gender=women,unisex | sneakers
mens running shoes | running-shoes | gender=men,unisex | sneakers
waterproof running shoes | running-shoes | waterproof=yes | hiking-boots
white sneakers | sneakers | colour=white
white leather sneakers women | sneakers | colour=white material=leather gender=women,unisex
waterproof hiking boots | hiking-boots | waterproof=yes | boots
brown leather boots | boots | colour=brown material=leather | hiking-boots
womens chelsea boots | boots | gender=women name=chelsea_boots
suede loafers | loafers | material=suede
black heels | heels | colour=black
leather sandals | sandals | material=leather
wool slippers | slippers | material=wool
straw hat | hat | material=straw
wool beanie | beanie | material=wool,merino
silk scarf | scarf | material=silk
cashmere scarf | scarf | material=cashmere
leather gloves | gloves | material=leather
brown leather belt | belt | colour=brown material=leather
silk tie | tie | material=silk | bow-tie
red tie | tie | colour=red | bow-tie
black leather handbag | handbag | colour=black material=leather
waterproof backpack | backpack | waterproof=yes
polarized sunglasses | sunglasses | polarised=yes
navy polo shirt | polo | colour=navy | tshirt
mens shoes size 44 | sneakers running-shoes boots loafers hiking-boots | gender=men,unisex size=44 | sandals slippers
mens shirt xl | shirt | gender=men,unisex size=XL
womens dress size s | dress | gender=women size=S
running shoes size 38 | running-shoes | size=38
# brand
tarnwick shirt | shirt | brand=Tarnwick | polo tshirt
runa athletic leggings | leggings | brand=Runa_Athletic | joggers
strideon running shoes | running-shoes | brand=Strideon | sneakers
galtway hiking boots | hiking-boots | brand=Galtway | boots
mirelle dress | dress | brand=Mirelle | skirt
cassonde | * | brand=Cassonde
velospar | * | brand=Velospar
fennimore grey | * | brand=Fennimore_Grey
nordhavn mills sweater | sweater | brand=Nordhavn_Mills | cardigan
pelham rye tie | tie | brand=Pelham_Rye | bow-tie
solvane linen shirt | shirt | brand=Solvane material=linen
ostby shoemakers boots | boots | brand=Ostby_Shoemakers
# typo
sweter | sweater | | cardigan sweatshirt
leggins | leggings | | joggers tights
snekers | sneakers | | running-shoes
cardigen | cardigan | | sweater
navy blaizer | blazer | colour=navy | suit
sunglases | sunglasses
lether belt | belt | material=leather
hoddie | hoodie | | sweatshirt
# synonym
trainers | sneakers running-shoes
jumper | sweater | | cardigan sweatshirt
pullover | sweater | | cardigan hoodie
pants | trousers | | jeans joggers
chinos | trousers | name=chinos | jeans
tee | tshirt | | tank-top
rucksack | backpack
pajamas | pyjamas | | robe
bathrobe | robe
swim trunks | swim-shorts
bathing suit | swimsuit
sweatpants | joggers | | leggings
necktie | tie | | bow-tie
braces for trousers | suspenders | | belt
bodywarmer | gilet | | down-jacket
purse | handbag wallet
raincoat | rain-jacket | | coat umbrella
pumps | heels
# wish
something warm for my head in winter | beanie | | hat
shoes for walking in the mountains | hiking-boots | | running-shoes boots
outfit for a job interview men | suit | gender=men,unisex | blazer shirt
keep dry when it rains | rain-jacket umbrella
soft shoes for the house | slippers
light summer dress in linen | dress | material=linen
gift for dad who wears ties | tie bow-tie
`

export const MODELS = `
# model
{brand} {model} | shirt | 3
{model} | jeans | 5
{model} | sneakers | 2
{brand} {model} | running-shoes | 4
{model} | dress | 7
{brand} {model} | hoodie | 1
{model} | jacket | 9
{model} | boots | 6
{brand} {model} | backpack | 3
{model} | handbag | 8
`
