! No rank has more than one item above any other.
block
  integer(selected_int_kind(18)) :: item
  do item = total * rank / nranks, total * (rank + 1) / nranks - 1
    call transfer_item(item)
  end do
end block
