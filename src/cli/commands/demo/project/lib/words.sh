# Turns seconds into words. Sourced by bin/uptime-words and the tests.

# count_of NUMBER NOUN: "1 day", "2 days"; nothing for zero.
count_of() {
  case $1 in
    0) ;;
    1) printf '%s %s' "$1" "$2" ;;
    *) printf '%s %ss' "$1" "$2" ;;
  esac
}

# in_words SECONDS: the parts that are not zero, largest first, joined by ", ".
in_words() {
  days=$(($1 / 86400))
  hours=$(($1 % 86400 / 3600))
  minutes=$(($1 % 60 / 60))
  seconds=$(($1 % 60))
  words=""
  for part in "$(count_of "$days" day)" "$(count_of "$hours" hour)" \
    "$(count_of "$minutes" minute)" "$(count_of "$seconds" second)"; do
    [ -n "$part" ] && words="${words:+$words, }$part"
  done
  printf '%s\n' "${words:-0 seconds}"
}
